import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ok, type Result } from "#base";
import type { StoreFault } from "#model";
import type { DeadLetter } from "#ports";
import { guardedValue } from "../store-fault.ts";
import { deadLetterOf, type QueueRow } from "./rows.ts";

/** `waiting`: runs; messages that wait for an answer are told where they were said. */
type QueuesFound = { readonly waiting: number; readonly dead: readonly DeadLetter[] };

const NOTHING: QueuesFound = { waiting: 0, dead: [] };

/** What waits and what was set aside in a data directory as it lies there, also beside a running instance. */
export function readQueues(dataDir: string): Result<QueuesFound, StoreFault> {
  const file = join(dataDir, "silas.db");
  if (!existsSync(file)) return ok(NOTHING);
  return guardedValue(() => {
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'queue_messages'").get() === undefined) return NOTHING;
      const waiting = db
        .prepare("SELECT count(*) AS count FROM queue_messages WHERE state <> 'dead' AND queue = 'runtime_queue'")
        .get();
      const dead = db.prepare("SELECT * FROM queue_messages WHERE state = 'dead' ORDER BY position DESC").all();
      return { waiting: Number(waiting?.["count"] ?? 0), dead: (dead as QueueRow[]).map(deadLetterOf) };
    } finally {
      db.close();
    }
  });
}
