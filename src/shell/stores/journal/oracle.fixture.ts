import { assert, err, ok, unreachable } from "#base";
import {
  parentIdOf,
  type AppliedOperation,
  type HostId,
  type JournalCommit,
  type JournalRead,
  type JournalRecord,
  type RecordId,
} from "#model";
import type { JournalStore } from "#ports";
import { nextVersion } from "./commit.ts";
import { importedVersion } from "./import.ts";
import { answerFromMemory, live, sorted, type MemoryState } from "./oracle-answers.fixture.ts";
import { payloadTypeOf, unitOf } from "./rows.ts";

/** The oracle of the journal's queries: the same port in the plainest code, for tests that compare random histories. */
export function createJournalOracle(hostId: HostId): JournalStore {
  let state: MemoryState = { hostId, counter: 0, records: new Map(), operations: [], log: [] };
  const refusalOf = ({ operationId, writes }: JournalCommit) => {
    const operation = state.operations.find((one) => one.operationId === operationId);
    if (operation !== undefined) return { code: "operation_exists", operation } as const;
    const stale = writes.find((write) => (state.records.get(write.id)?.revision ?? null) !== write.expectedRevision);
    return stale === undefined ? null : ({ code: "stale_revision", id: stale.id } as const);
  };
  return {
    hostId,
    read: async (reads) => {
      const asked = new Set(reads.flatMap((read) => (read.kind === "operation" ? [read.id] : [])));
      const found = state.operations.filter((one) => asked.has(one.operationId));
      const records = reads.flatMap((read) => recordsOf(state, read));
      return ok({
        records: new Map(records.map((record) => [record.id, record])),
        operations: new Map(found.map((operation) => [operation.operationId, operation])),
      });
    },
    commit: async (commit) => {
      const refusal = refusalOf(commit);
      if (refusal !== null) return err(refusal);
      const records = commit.writes.map((write, index) =>
        nextVersion(write, {
          before: state.records.get(write.id) ?? null,
          at: commit.at,
          hostId,
          counter: state.counter + index + 1,
        }),
      );
      const operation = operationOf(state, { commit, records });
      const operations = state.operations.map((one) =>
        one.operationId === commit.undoes ? { ...one, undoneBy: commit.operationId } : one,
      );
      state = {
        ...withVersions(state, records),
        counter: state.counter + records.length,
        operations: [...operations, operation],
      };
      return ok({ records, units: records.map(unitOf) });
    },
    answer: async (query) => answerFromMemory(state, query),
    exportRecords: () => inIdOrder(state),
    importRecords: async (records) => {
      const saved = records.map((record) => importedVersion(record, state.records.get(record.id) ?? null));
      const own = saved.filter((record) => record.hostId === hostId).map((record) => record.counter);
      state = { ...withVersions(state, saved), counter: Math.max(state.counter, ...own) };
      return ok({ records: saved, units: saved.map(unitOf) });
    },
    close: async () => undefined,
  };
}

async function* inIdOrder({ records }: MemoryState): AsyncGenerator<JournalRecord> {
  yield* sorted([...records.values()], (record) => [record.id]);
}

function withVersions(state: MemoryState, saved: readonly JournalRecord[]): MemoryState {
  const records = new Map(state.records);
  const log = [...state.log];
  for (const record of saved) {
    records.set(record.id, record);
    const { hostId, counter, kind, id: payloadId, updatedAt: at } = record;
    if (log.some((row) => row.hostId === hostId && row.counter === counter)) continue;
    log.push({ hostId, counter, payloadType: payloadTypeOf(kind), payloadId, kind, at });
  }
  return { ...state, records, log };
}

function operationOf(
  state: MemoryState,
  { commit, records }: { readonly commit: JournalCommit; readonly records: readonly JournalRecord[] },
): AppliedOperation {
  const { operationId, commandDigest, command, at, subjectId, undoes } = commit;
  const isKnown = undoes === null || state.operations.some((one) => one.operationId === undoes);
  assert(isKnown, "JOURNAL-11 only an applied operation is undone");
  return {
    operationId,
    commandDigest,
    command,
    at,
    subjectId,
    recordIds: records.map((record) => record.id),
    before: records.flatMap((record) => state.records.get(record.id) ?? []),
    revisions: new Map(records.map((record) => [record.id, record.revision])),
    undoneBy: null,
  };
}

function recordsOf(state: MemoryState, read: JournalRead): readonly JournalRecord[] {
  switch (read.kind) {
    case "ids":
      return byIds(state, read.ids);
    case "operation":
      return byIds(state, state.operations.find((one) => one.operationId === read.id)?.recordIds ?? []);
    case "tree":
      return tree(state, read.id);
    case "all":
      return live(state, read.of);
    case "running":
      return live(state, "timeEntry").filter(({ body }) => body.endedAt === null);
    case "place":
      return place(state, read);
    case "links":
      return live(state, "link").filter(({ body }) => body.fromId === read.id || body.toId === read.id);
    default:
      return unreachable(read);
  }
}

const byIds = (state: MemoryState, ids: readonly RecordId[]): readonly JournalRecord[] =>
  ids.flatMap((id) => state.records.get(id) ?? []);

function tree(state: MemoryState, id: RecordId): readonly JournalRecord[] {
  const root = state.records.get(id);
  if (root === undefined || root.deletedAt !== null) return [];
  const children = [...state.records.values()].filter((one) => one.deletedAt === null && parentIdOf(one) === id);
  return [root, ...children.flatMap((child) => tree(state, child.id))];
}

function place(state: MemoryState, { of, at }: Extract<JournalRead, { kind: "place" }>): readonly JournalRecord[] {
  const inOrder = sorted(live(state, of), ({ id, body }) => [body.order, id]);
  if (at === "first") return inOrder.slice(0, 1);
  if (at === "last") return inOrder.slice(-1);
  const after = inOrder.find((record) => record.id === at.after);
  if (after === undefined) return [];
  const next = inOrder.find((record) => record.body.order > after.body.order);
  return next === undefined ? [after] : [after, next];
}
