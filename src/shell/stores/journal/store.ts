import { DatabaseSync } from "node:sqlite";
import { assert } from "#base";
import type { HostId, JournalRecord } from "#model";
import { createMutex, type JournalStore } from "#ports";
import { BUSY_TIMEOUT_MS, type Sqlite } from "../sqlite.ts";
import { guarded, guardedPromise, guardedValue } from "../store-fault.ts";
import { answerQuery } from "./answers.ts";
import { commitWrites } from "./commit.ts";
import { importVersions } from "./import.ts";
import { readFacts } from "./reads.ts";
import { RECORD_COLUMNS, recordOfRow, type RecordRow } from "./rows.ts";

/**
 * The journal on a migrated `db.sqlite`. Work is synchronous inside, except for an import, which takes long. Writers take
 * turns: one that ran into the lock of an import would stop the whole process until it gave up.
 */
export function createJournalStore(db: Sqlite, hostId: HostId): JournalStore {
  const inTurn = createMutex();
  return {
    hostId,
    read: async (reads) => guardedValue(() => readFacts(db, reads)),
    commit: (commit) => inTurn(async () => guarded(() => commitWrites(db, commit))),
    answer: async (query) => guarded(() => answerQuery(db, query)),
    exportRecords: () => exportSnapshot(db.path),
    importRecords: (records) => inTurn(() => guardedPromise(importVersions(db, records))),
    close: () => inTurn(async () => db.close()),
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

const EXPORT_PAGE = `SELECT ${RECORD_COLUMNS} FROM records WHERE id > :after ORDER BY id LIMIT 500`;

/** Streams one moment of the journal over a connection of its own, whatever is written meanwhile. */
async function* exportSnapshot(path: string): AsyncGenerator<JournalRecord> {
  const handle = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    handle.exec("BEGIN");
    const page = handle.prepare(EXPORT_PAGE);
    let after = "";
    for (;;) {
      const rows = page.all({ after }) as RecordRow[];
      for (const row of rows) yield recordOfRow(row);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  } finally {
    handle.close();
  }
}
