import { ok, type Result } from "#base";
import type { JournalCommitted, JournalRecord } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { saveVersion } from "./commit.ts";
import { loadRecord, unitOf } from "./rows.ts";

/** Writes records with the provenance they carry, all or none. */
export function importVersions(db: Sqlite, records: readonly JournalRecord[]): Result<JournalCommitted, never> {
  return db.transaction(() => {
    const saved = records.map((record) => importedVersion(record, loadRecord(db, record.id)));
    for (const record of saved) saveVersion(db, record);
    for (const record of saved) keepCounterAhead(db, record);
    return ok({ records: saved, units: saved.map(unitOf) });
  });
}

/** A new record keeps its revision; a replaced one moves past the local revision, so that open edits see it as stale. */
export function importedVersion(record: JournalRecord, current: JournalRecord | null): JournalRecord {
  if (current === null) return record;
  return { ...record, revision: Math.max(record.revision, current.revision + 1) };
}

/**
 * An import gives out no counter of this host. Only when it brings back versions this very host wrote and has since
 * lost (an older copy was put back), the counter moves past them: a number is never used for two versions.
 */
function keepCounterAhead(db: Sqlite, record: JournalRecord): void {
  db.run("UPDATE host SET counter = max(counter, :counter) WHERE host_id = :host_id", {
    counter: record.counter,
    host_id: record.hostId,
  });
}
