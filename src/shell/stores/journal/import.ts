import { setImmediate } from "node:timers/promises";
import { assert } from "#base";
import type { JournalCommitted, JournalRecord } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { loadRecords, unitOf } from "./rows.ts";
import { indexRowsAfter, lastRow, saveRows } from "./save-versions.ts";

/** Few enough that what waits between two batches is not noticed. */
const BATCH_RECORDS = 250;
/** The search index writes a segment each time it is added to, and merging many small ones is most of its work. */
const BATCHES_INDEXED = 10;
/** Pages an import changes stay in memory up to this size, so that few are written to the log more than once. */
const CACHE_KIB = 65_536;

/**
 * Writes records with the provenance they carry, all or none. The transaction runs on a connection of its own and lets
 * other work in between its batches: readers see the journal as it was before until the very end. The caller keeps other
 * writers waiting.
 */
export async function importVersions(main: Sqlite, records: readonly JournalRecord[]): Promise<JournalCommitted> {
  assert(new Set(records.map(({ id }) => id)).size === records.length, "an import writes each record once");
  const db = main.openSibling();
  try {
    db.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    db.run("BEGIN IMMEDIATE");
    const saved: JournalRecord[] = [];
    for (const batches of partsOf(partsOf(records, BATCH_RECORDS), BATCHES_INDEXED)) {
      const last = lastRow(db);
      for (const batch of batches) {
        saved.push(...saveBatch(db, batch));
        // The batches of one transaction follow each other; what comes in between is other people's work.
        await setImmediate();
      }
      indexRowsAfter(db, last);
    }
    keepCounterAhead(db);
    db.run("COMMIT");
    return { records: saved, units: saved.map(unitOf) };
  } finally {
    // Closing takes back what was not committed.
    db.close();
  }
}

function partsOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

function saveBatch(db: Sqlite, records: readonly JournalRecord[]): readonly JournalRecord[] {
  const known = new Map(
    loadRecords(
      db,
      records.map(({ id }) => id),
    ).map((record) => [record.id, record]),
  );
  const versions = records.map((record) => {
    const current = known.get(record.id) ?? null;
    return { record: importedVersion(record, current), isKnown: current !== null };
  });
  saveRows(db, versions);
  return versions.map(({ record }) => record);
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
function keepCounterAhead(db: Sqlite): void {
  db.run(
    `UPDATE host SET counter =
       max(counter, ifnull((SELECT max(log.counter) FROM sequence_log AS log WHERE log.host_id = host.host_id), 0))`,
  );
}
