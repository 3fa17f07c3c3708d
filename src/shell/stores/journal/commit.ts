import { assert, err, ok, type Instant, type Result } from "#base";
import type {
  CommitRefusal,
  HostId,
  JournalCommit,
  JournalCommitted,
  JournalRecord,
  RecordId,
  RecordWrite,
} from "#model";
import type { Sqlite } from "../sqlite.ts";
import { loadOperation, loadRecord, unitOf } from "./rows.ts";
import { saveVersions } from "./save-versions.ts";

/** One decided command in one transaction: records, provenance, operation and images, or nothing. [JOURNAL-10] */
export function commitWrites(db: Sqlite, commit: JournalCommit): Result<JournalCommitted, CommitRefusal> {
  return db.transaction(() => {
    const applied = loadOperation(db, commit.operationId);
    if (applied !== null) return err({ code: "operation_exists", operation: applied });
    const seen = checkRevisions(db, commit.writes);
    if (!seen.ok) return seen;
    const before = seen.value;
    const firstCounter = reserveCounters(db, commit.writes.length);
    const records = commit.writes.map((write, index) =>
      nextVersion(write, {
        before: before.get(write.id) ?? null,
        at: commit.at,
        hostId: firstCounter.hostId,
        counter: firstCounter.counter + index,
      }),
    );
    saveVersions(
      db,
      records.map((record) => ({ record, isKnown: before.has(record.id) })),
    );
    saveOperation(db, { commit, records, before: [...before.values()] });
    return ok({ records, units: records.map(unitOf) });
  });
}

/** The records as they are now, if each is at the revision the decision saw. */
function checkRevisions(
  db: Sqlite,
  writes: readonly RecordWrite[],
): Result<ReadonlyMap<RecordId, JournalRecord>, CommitRefusal> {
  const before = new Map<RecordId, JournalRecord>();
  const ids = new Set(writes.map((write) => write.id));
  assert(ids.size === writes.length, "a commit writes each record once");
  for (const { id, expectedRevision } of writes) {
    const current = loadRecord(db, id);
    if ((current?.revision ?? null) !== expectedRevision) return err({ code: "stale_revision", id });
    if (current !== null) before.set(id, current);
  }
  return ok(before);
}

/**
 * INVARIANT: counters are given out in the transaction that uses them. A rolled back commit gives its numbers back, so
 * there is never a gap and never a number used twice. [JOURNAL-10]
 */
function reserveCounters(db: Sqlite, count: number): { readonly hostId: HostId; readonly counter: number } {
  db.run("UPDATE host SET counter = counter + :count", { count });
  const host = db.get<{ host_id: string; counter: number }>("SELECT host_id, counter FROM host");
  assert(host !== null, "the journal has a host identity");
  return { hostId: host.host_id as HostId, counter: host.counter - count + 1 };
}

type Provenance = {
  readonly before: JournalRecord | null;
  readonly at: Instant;
  readonly hostId: HostId;
  readonly counter: number;
};

/** The version a write leads to. */
export function nextVersion(write: RecordWrite, { before, at, hostId, counter }: Provenance): JournalRecord {
  assert(before === null || before.kind === write.kind, "a record never changes its kind");
  return {
    id: write.id,
    kind: write.kind,
    body: write.body,
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
    deletedAt: write.deleted ? (before?.deletedAt ?? at) : null,
    revision: (before?.revision ?? 0) + 1,
    hostId,
    counter,
    vectorClock: { ...before?.vectorClock, [hostId]: counter },
  } as JournalRecord;
}

type Outcome = {
  readonly commit: JournalCommit;
  readonly records: readonly JournalRecord[];
  readonly before: readonly JournalRecord[];
};

/** The applied operation in the same transaction as what it did. [JOURNAL-11] */
function saveOperation(db: Sqlite, { commit, records, before }: Outcome): void {
  db.run(
    `INSERT INTO operations (operation_id, command_digest, command, at, subject_id, before_images, revisions, undone_by)
     VALUES (:operation_id, :command_digest, :command, :at, :subject_id, :before_images, :revisions, NULL)`,
    {
      operation_id: commit.operationId,
      command_digest: commit.commandDigest,
      command: JSON.stringify(commit.command),
      at: commit.at,
      subject_id: commit.subjectId,
      before_images: JSON.stringify(before),
      revisions: JSON.stringify(records.map((record) => [record.id, record.revision])),
    },
  );
  if (commit.undoes === null) return;
  const changed = db.run("UPDATE operations SET undone_by = :by WHERE operation_id = :id", {
    by: commit.operationId,
    id: commit.undoes,
  });
  assert(changed === 1, "JOURNAL-11 only an applied operation is undone");
}
