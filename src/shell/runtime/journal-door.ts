import { assert, err, LIMITS, ok, uuidV7, type Instant, type Result } from "#base";
import {
  ancestorTokens,
  createBatch,
  decide,
  digestOfCommand,
  furtherReadsOf,
  readsOf,
  tokensOf,
  type JournalDecision,
} from "#journal";
import type {
  AppliedOperation,
  ImportReport,
  JournalCommitted,
  JournalError,
  JournalFacts,
  JournalOutcome,
  JournalRead,
  JournalRecord,
  JournalRequest,
  NotificationBatch,
  RecordId,
  StoreFault,
} from "#model";
import {
  createMutex,
  type Clock,
  type ImportRefusal,
  type JournalDoor,
  type JournalStore,
  type Randomness,
} from "#ports";
import type { ChangePublisher, FeedWindow } from "./change-feed.ts";
import { decideImports, exportJournal, readImport, type ReadImport } from "./journal-transfer.ts";
import { previewRecords } from "./preview.ts";

type JournalDoorDeps = {
  readonly store: JournalStore;
  readonly feed: ChangePublisher;
  readonly clock: Clock;
  readonly randomness: Randomness;
};

/** The one way to the journal: read, decide, commit, and only then tell others. [TOKEN-09] */
export function createJournalDoor(deps: JournalDoorDeps): JournalDoor {
  // An import decides on what is here now and then writes it all; no command may come between the two.
  const inTurn = createMutex();
  return {
    submit: (request) => inTurn(() => submit(deps, request)),
    ask: (query) => deps.store.answer(query),
    exportLines: () => exportJournal(deps.store),
    importLines: async (lines) => {
      const read = await readImport(lines);
      return read.ok ? inTurn(() => importRead(deps, read.value)) : read;
    },
  };
}

async function importRead(deps: JournalDoorDeps, read: ReadImport): Promise<Imported> {
  const decided = await decideImports(deps.store, read);
  if (!decided.ok) return decided;
  const { changes, report } = decided.value;
  if (changes.length === 0) return ok(report);
  const committed = await deps.store.importRecords(changes.map(({ record }) => record));
  if (!committed.ok) return committed;
  // Beyond this every listener would lose batches anyway; each is told to load afresh instead.
  if (changes.length > LIMITS.feedBatchesWaiting) deps.feed.publishLost();
  else {
    const before = new Map(
      changes.flatMap((change) => (change.before === null ? [] : [[change.record.id, change.before]])),
    );
    publish(deps, { committed: committed.value, before, window: "sync" });
  }
  return ok(report);
}

type Imported = Result<ImportReport, ImportRefusal | StoreFault>;
type Submitted = Result<JournalOutcome, JournalError | StoreFault>;

async function submit(deps: JournalDoorDeps, request: JournalRequest): Promise<Submitted> {
  // Read once: a second try decides at the same moment, and so names the same records.
  const at = deps.clock.now();
  for (let tries = 0; tries < LIMITS.commitTriesMax; tries += 1) {
    const facts = await loadFacts(deps.store, request);
    if (!facts.ok) return facts;
    const known = facts.value.operations.get(request.operationId);
    if (known !== undefined) return replay(request, known, facts.value);
    const decided = decide({ command: request.command, operationId: request.operationId, at, facts: facts.value });
    if (!decided.ok) return decided;
    if (request.mode === "preview")
      return ok(previewOutcome(deps, { request, at, facts: facts.value, decided: decided.value }));
    const committed = await commit(deps, { request, at, decided: decided.value, facts: facts.value });
    if (committed !== "decide_again") return committed;
  }
  // Others kept changing the same records; nothing was written, and asking again later may succeed.
  return err({ code: "store_busy", retryable: true });
}

async function loadFacts(store: JournalStore, request: JournalRequest): Promise<Result<JournalFacts, StoreFault>> {
  const itself: JournalRead = { kind: "operation", id: request.operationId };
  const first = await store.read([itself, ...readsOf(request.command)]);
  if (!first.ok) return first;
  const furtherReads = furtherReadsOf(request.command, first.value);
  if (furtherReads.length === 0) return first;
  const further = await store.read(furtherReads);
  if (!further.ok) return further;
  return ok({
    records: new Map([...first.value.records, ...further.value.records]),
    operations: new Map([...first.value.operations, ...further.value.operations]),
  });
}

/** An operation that was applied before is answered and not applied again; the records are shown as they are now. */
function replay(request: JournalRequest, known: AppliedOperation, facts: JournalFacts): Submitted {
  const { operationId } = request;
  if (known.commandDigest !== digestOfCommand(request.command)) return err({ code: "operation_mismatch", operationId });
  const records = known.recordIds.flatMap((id) => facts.records.get(id) ?? []);
  return ok({ operationId, at: known.at, replayed: true, subjectId: known.subjectId, records });
}

type Decision = {
  readonly request: JournalRequest;
  readonly at: Instant;
  readonly decided: JournalDecision;
  readonly facts: JournalFacts;
};

async function commit(
  deps: JournalDoorDeps,
  { request, at, decided, facts }: Decision,
): Promise<Submitted | "decide_again"> {
  const { operationId, command } = request;
  const committed = await deps.store.commit({
    operationId,
    command,
    commandDigest: digestOfCommand(command),
    at,
    ...decided,
  });
  if (committed.ok) {
    publish(deps, { committed: committed.value, before: facts.records, window: "local" });
    const { records } = committed.value;
    return ok({ operationId, at, replayed: false, subjectId: decided.subjectId, records });
  }
  // Another write came between read and commit: a changed record is decided anew, an applied operation replayed.
  if (committed.error.code === "stale_revision" || committed.error.code === "operation_exists") return "decide_again";
  return err(committed.error);
}

type Published = {
  readonly committed: JournalCommitted;
  /** What the decision saw: the versions that were replaced, and the parents that name further tokens. */
  readonly before: ReadonlyMap<RecordId, JournalRecord>;
  readonly window: FeedWindow;
};

/** One batch per record version, built from the provenance its own commit gave it. [BATCHID-05] */
function publish(deps: JournalDoorDeps, { committed, before, window }: Published): void {
  const now = new Map(committed.records.map((record) => [record.id, record]));
  const around = new Map([...before, ...now]);
  const batches = committed.units.flatMap((unit, index): NotificationBatch[] => {
    const record = committed.records[index];
    assert(record !== undefined && record.counter === unit.counter, "BATCHID-05 each unit is its record's own commit");
    const tokens = [...tokensOf(record, before.get(record.id) ?? null), ...ancestorTokens(record, around)];
    return [createBatch({ localBatchId: uuidV7(deps.clock.now(), deps.randomness.bytes(10)), units: [unit], tokens })];
  });
  deps.feed.publish(batches, window);
}

function previewOutcome(deps: JournalDoorDeps, preview: Decision): JournalOutcome {
  const { request, at, decided, facts } = preview;
  const records: readonly JournalRecord[] = previewRecords({
    writes: decided.writes,
    facts,
    at,
    hostId: deps.store.hostId,
  });
  return { operationId: request.operationId, at, replayed: false, subjectId: decided.subjectId, records };
}
