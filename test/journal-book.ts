/**
 * A journal in memory that knows nothing but the contract of reads and commits: what the decisions of `#journal` are
 * tried on. It keeps every invariant of a store and checks what it is given.
 */
import { err, instantFromMs, ok, type Instant, type Result } from "#base";
import { decide, digestOfCommand, furtherReadsOf, readsOf, type JournalDecision } from "#journal";
import {
  journalCommandSchema,
  journalRecordSchema,
  parentIdOf,
  type AppliedOperation,
  type HostId,
  type JournalCommand,
  type JournalError,
  type JournalFacts,
  type JournalRead,
  type JournalRecord,
  type OperationId,
  type RecordId,
  type RecordKind,
  type RecordOf,
  type RecordWrite,
} from "#model";

const HOST = "host-a" as HostId;

type Ran = JournalDecision & { readonly operationId: OperationId; readonly records: readonly JournalRecord[] };

export type JournalBook = {
  readonly records: Map<RecordId, JournalRecord>;
  readonly operations: Map<OperationId, AppliedOperation>;
  /** Parses, reads, decides and commits one command, each at the next second unless a moment is named. */
  run(command: unknown, at?: string): Result<Ran, JournalError>;
  /** The same, for commands that must succeed. */
  must(command: unknown, at?: string): Ran;
  live<K extends RecordKind>(kind: K): readonly RecordOf<K>[];
  one<K extends RecordKind>(kind: K, id: RecordId | null): RecordOf<K>;
};

export function createBook(start = "2026-11-15T10:00:00.000Z"): JournalBook {
  const state: State = { records: new Map(), operations: new Map(), counter: 0 };
  const { records, operations } = state;
  let seconds = 0;
  const run: JournalBook["run"] = (input, moment) => {
    seconds += 1;
    const operationId = `op-${operations.size + 1}-${seconds}` as OperationId;
    const at = (moment ?? shift(start, seconds)) as Instant;
    return runCommand(state, { command: journalCommandSchema.parse(input), operationId, at });
  };
  const live = <K extends RecordKind>(kind: K) =>
    [...records.values()].filter((record) => record.kind === kind && record.deletedAt === null) as RecordOf<K>[];
  return {
    records,
    operations,
    run,
    must(command, at) {
      const result = run(command, at);
      if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
      return result.value;
    },
    live,
    one(kind, id) {
      const found = live(kind).find((record) => record.id === id);
      if (found === undefined) throw new Error(`no live ${kind} ${id}`);
      return found;
    },
  };
}

type State = Pick<JournalBook, "records" | "operations"> & { counter: number };
type Request = { readonly command: JournalCommand; readonly operationId: OperationId; readonly at: Instant };

function runCommand(state: State, { command, operationId, at }: Request): Result<Ran, JournalError> {
  const first = readFacts(state, readsOf(command));
  const further = readFacts(state, furtherReadsOf(command, first));
  const facts = {
    records: new Map([...first.records, ...further.records]),
    operations: new Map([...first.operations, ...further.operations]),
  };
  const decided = decide({ command, operationId, at, facts });
  if (!decided.ok) return err(decided.error);
  const { subjectId, writes, undoes } = decided.value;
  const before = writes.flatMap((write) => state.records.get(write.id) ?? []);
  const written = writes.map((write) => commit(state, { write, at }));
  state.operations.set(operationId, {
    operationId,
    commandDigest: digestOfCommand(command),
    command,
    at,
    subjectId,
    recordIds: written.map((record) => record.id),
    before,
    revisions: new Map(written.map((record) => [record.id, record.revision])),
    undoneBy: null,
  });
  const undone = undoes === null ? undefined : state.operations.get(undoes);
  if (undone !== undefined) state.operations.set(undone.operationId, { ...undone, undoneBy: operationId });
  return ok({ ...decided.value, operationId, records: written });
}

function commit(state: State, { write, at }: { readonly write: RecordWrite; readonly at: Instant }): JournalRecord {
  const before = state.records.get(write.id);
  if ((before?.revision ?? null) !== write.expectedRevision) throw new Error(`stale write of ${write.id}`);
  state.counter += 1;
  const record = journalRecordSchema.parse({
    id: write.id,
    kind: write.kind,
    body: write.body,
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
    deletedAt: write.deleted ? at : null,
    revision: (before?.revision ?? 0) + 1,
    hostId: HOST,
    counter: state.counter,
    vectorClock: { ...before?.vectorClock, [HOST]: state.counter },
  }) as JournalRecord;
  state.records.set(record.id, record);
  return record;
}

/** The moment so many seconds after another. */
function shift(start: string, seconds: number): Instant {
  const moment = instantFromMs(Date.parse(start) + seconds * 1000);
  if (!moment.ok) throw new Error("a moment");
  return moment.value;
}

function readFacts(journal: JournalFacts, reads: readonly JournalRead[]): JournalFacts {
  const records = new Map<RecordId, JournalRecord>();
  const operations = new Map<OperationId, AppliedOperation>();
  for (const read of reads) {
    for (const record of recordsOf(journal, read)) records.set(record.id, record);
    const operation = read.kind === "operation" ? journal.operations.get(read.id) : undefined;
    if (operation !== undefined) operations.set(operation.operationId, operation);
  }
  return { records, operations };
}

function recordsOf(journal: JournalFacts, read: JournalRead): readonly JournalRecord[] {
  const live = [...journal.records.values()].filter((record) => record.deletedAt === null);
  const byIds = (ids: readonly RecordId[]) => ids.flatMap((id) => journal.records.get(id) ?? []);
  switch (read.kind) {
    case "ids":
      return byIds(read.ids);
    case "operation":
      return byIds(journal.operations.get(read.id)?.recordIds ?? []);
    case "all":
      return live.filter((record) => record.kind === read.of);
    case "running":
      return live.filter((record) => record.kind === "timeEntry" && record.body.endedAt === null);
    case "links":
      return live.filter(
        (record) => record.kind === "link" && [record.body.fromId, record.body.toId].includes(read.id),
      );
    case "tree":
      return treeOf(live, read.id);
    case "place":
      return placeOf(live, read);
  }
}

function treeOf(live: readonly JournalRecord[], id: RecordId): readonly JournalRecord[] {
  const root = live.filter((record) => record.id === id);
  const children = root.length === 0 ? [] : live.filter((record) => parentIdOf(record) === id);
  return [...root, ...children.flatMap((child) => treeOf(live, child.id))];
}

function placeOf(live: readonly JournalRecord[], read: Extract<JournalRead, { kind: "place" }>) {
  const siblings = (live.filter((record) => record.kind === read.of) as RecordOf<"task" | "category">[]).toSorted(
    (one, other) => (`${one.body.order} ${one.id}` < `${other.body.order} ${other.id}` ? -1 : 1),
  );
  if (read.at === "first") return siblings.slice(0, 1);
  if (read.at === "last") return siblings.slice(-1);
  const { after } = read.at;
  const named = siblings.find((record) => record.id === after);
  if (named === undefined) return [];
  return [named, ...siblings.filter((record) => record.body.order > named.body.order).slice(0, 1)];
}
