import { assert, err, ok, sha256Hex, uuidV7, type Instant, type Result } from "#base";
import {
  bodySchemas,
  recordIdSchema,
  type BodyOf,
  type JournalError,
  type JournalFacts,
  type JournalRecord,
  type OperationId,
  type RecordId,
  type RecordKind,
  type RecordOf,
  type RecordWrite,
} from "#model";
import { brokenLawOf } from "./laws.ts";
import { isSameValue, withoutUndefined } from "./same-value.ts";

/** The writes of one command while it is being decided, and the facts they are decided on. */
export type Draft = {
  readonly at: Instant;
  readonly facts: JournalFacts;
  /** A live record of this kind, or why there is none. */
  find<K extends RecordKind>(kind: K, id: RecordId): Result<RecordOf<K>, JournalError>;
  /** All live records of a kind among the facts; for `all`, `tree`, `place` and `links` reads. */
  list<K extends RecordKind>(kind: K): readonly RecordOf<K>[];
  /** A new record with the next id of this operation. */
  create<K extends RecordKind>(kind: K, body: BodyOf<K>): RecordId;
  /** A record under a given id: created, changed, or brought back when it was deleted. */
  put<K extends RecordKind>(write: { readonly id: RecordId; readonly kind: K; readonly body: BodyOf<K> }): void;
  change<K extends RecordKind>(record: RecordOf<K>, patch: Partial<BodyOf<K>>): void;
  remove(record: JournalRecord): void;
  /** Everything that really changes something, in the order it was decided. */
  writes(): readonly RecordWrite[];
};

type DraftInput = { readonly operationId: OperationId; readonly at: Instant; readonly facts: JournalFacts };
type Pending = { readonly id: RecordId; readonly kind: RecordKind; readonly body: object; readonly deleted: boolean };

export function createDraft({ operationId, at, facts }: DraftInput): Draft {
  const pending = new Map<RecordId, Pending>();
  let created = 0;
  const live = [...facts.records.values()].filter((record) => record.deletedAt === null);
  const put = (write: Pending): void => {
    pending.set(write.id, write);
  };
  return {
    at,
    facts,
    find: (kind, id) => findLive(facts, { kind, id }),
    list: <K extends RecordKind>(kind: K) => live.filter((record) => record.kind === kind) as RecordOf<K>[],
    create(kind, body) {
      const id = derivedId({ operationId, at, ordinal: created });
      created += 1;
      put({ id, kind, body, deleted: false });
      return id;
    },
    put: ({ id, kind, body }) => put({ id, kind, body, deleted: false }),
    change(record, patch) {
      const body = { ...record.body, ...pending.get(record.id)?.body, ...patch };
      put({ id: record.id, kind: record.kind, body, deleted: false });
    },
    remove: ({ id, kind, body }) => put({ id, kind, body, deleted: true }),
    writes: () => [...pending.values()].flatMap((write) => finish(write, facts.records.get(write.id))),
  };
}

/** A live record of a kind among the facts. A deleted one counts as missing. */
function findLive<K extends RecordKind>(
  facts: JournalFacts,
  { kind, id }: { readonly kind: K; readonly id: RecordId },
): Result<RecordOf<K>, JournalError> {
  const record = facts.records.get(id);
  if (record === undefined || record.deletedAt !== null) return err({ code: "not_found", what: kind, id });
  if (record.kind !== kind) return err({ code: "wrong_kind", id, expected: kind });
  return ok(record as RecordOf<K>);
}

export function isOfKind<K extends RecordKind>(
  record: JournalRecord,
  kind: K,
): record is Extract<JournalRecord, { readonly kind: K }> {
  return record.kind === kind;
}

// The id follows from the operation and its ordinal alone, so deciding the same request twice at the same moment
// names the same records. [JOURNAL-11]
function derivedId({ operationId, at, ordinal }: Omit<DraftInput, "facts"> & { readonly ordinal: number }): RecordId {
  const digest = sha256Hex(`${operationId}|${ordinal}`);
  const bytes = Uint8Array.from({ length: 10 }, (_, index) => parseInt(digest.slice(index * 2, index * 2 + 2), 16));
  return uuidV7(at, bytes) as RecordId;
}

// A write that changes nothing is no write. What leaves is parsed by its own schema first: a body that does not
// fit is a bug of the decision, and the store must never see it.
function finish(write: Pending, current: JournalRecord | undefined): readonly RecordWrite[] {
  const { id, kind, deleted } = write;
  const body = withoutUndefined(write.body) as object;
  assert(current === undefined || current.kind === kind, `a write keeps the kind of ${id}`);
  const isSame = current !== undefined && (current.deletedAt !== null) === deleted && isSameValue(current.body, body);
  if (isSame) return [];
  assert(recordIdSchema.safeParse(id).success, `a record id: ${id}`);
  assert(bodySchemas[kind].safeParse(body).success, `JOURNAL body of ${kind} ${id} fits its schema`);
  const broken = brokenLawOf({ id, kind, body } as JournalRecord);
  assert(broken === null, `${broken} (${id})`);
  return [{ id, kind, body, deleted, expectedRevision: current?.revision ?? null } as RecordWrite];
}
