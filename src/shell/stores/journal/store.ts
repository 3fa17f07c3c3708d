import { assert } from "#base";
import type { HostId, JournalRecord } from "#model";
import type { JournalStore } from "#ports";
import { openSqlite, type Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";
import { answerQuery } from "./answers.ts";
import { commitWrites } from "./commit.ts";
import { importVersions } from "./import.ts";
import { readFacts } from "./reads.ts";
import { RECORD_COLUMNS, recordOfRow, type RecordRow } from "./rows.ts";

/** The journal on a migrated `db.sqlite`. Work is synchronous inside; nothing waits in a transaction. */
export function createJournalStore(db: Sqlite, hostId: HostId): JournalStore {
  return {
    hostId,
    read: async (reads) => guardedValue(() => readFacts(db, reads)),
    commit: async (commit) => guarded(() => commitWrites(db, commit)),
    answer: async (query) => guarded(() => answerQuery(db, query)),
    exportRecords: () => exportSnapshot(db.path),
    importRecords: async (records) => guarded(() => importVersions(db, records)),
    close: async () => db.close(),
  };
}

/** The identity of this database, made on first use. Run before the store is created. */
export function ensureHostId(db: Sqlite, createId: () => string): HostId {
  db.run("INSERT INTO host (only, host_id, counter) VALUES (1, :host_id, 0) ON CONFLICT DO NOTHING", {
    host_id: createId(),
  });
  const host = db.get<{ host_id: string }>("SELECT host_id FROM host");
  assert(host !== null, "the journal has a host identity");
  return host.host_id as HostId;
}

const EXPORT_ROWS = 500;

/** Streams one moment of the journal over a connection of its own, whatever is written meanwhile. */
async function* exportSnapshot(path: string): AsyncGenerator<JournalRecord> {
  const db = openSqlite({ path, synchronous: "FULL" });
  try {
    db.run("BEGIN");
    let after = "";
    for (;;) {
      const rows = db.all<RecordRow>(
        `SELECT ${RECORD_COLUMNS} FROM records WHERE id > :after ORDER BY id LIMIT :limit`,
        { after, limit: EXPORT_ROWS },
      );
      for (const row of rows) yield recordOfRow(row);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  } finally {
    db.close();
  }
}
