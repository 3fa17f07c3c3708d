import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ok, type Result } from "#base";
import { deadLetterOf, type DeadLetter, type DeadRow } from "#engine";
import type { StoreFault } from "#model";
import { guardedValue } from "./store-fault.ts";

/** `waiting`: runs; `decided`: what else was decided; messages that wait for an answer are told where they were said. */
type QueuesFound = { readonly waiting: number; readonly decided: number; readonly dead: readonly DeadLetter[] };

const NOTHING: QueuesFound = { waiting: 0, decided: 0, dead: [] };

/** What waits and what was set aside in a data directory as it lies there, also beside a running instance. */
export function readQueues(dataDir: string): Result<QueuesFound, StoreFault> {
  const file = join(dataDir, "silas.db");
  if (!existsSync(file)) return ok(NOTHING);
  return guardedValue(() => {
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'queue_leases'").get() === undefined) return NOTHING;
      const found = db.prepare(WAITING).get();
      const dead = db.prepare("SELECT * FROM dead_messages ORDER BY number DESC").all();
      const [waiting, decided] = [Number(found?.["runs"] ?? 0), Number(found?.["others"] ?? 0)];
      return { waiting, decided, dead: (dead as DeadRow[]).map(deadLetterOf) };
    } finally {
      db.close();
    }
  });
}

const RUN = `message LIKE '%"run_id":%'`;
/** A run that is leased goes on; any other decision that is leased was not carried out yet. */
const WAITING = `SELECT count(*) FILTER (WHERE ${RUN} AND lease_until IS NULL) AS runs,
    count(*) FILTER (WHERE NOT ${RUN}) AS others
  FROM queue LEFT JOIN queue_leases USING (position) WHERE kind = 'decided' AND ready_at IS NOT NULL`;
