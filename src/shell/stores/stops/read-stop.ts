import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ok, type Result } from "#base";
import type { Stopped, StoreFault } from "#model";
import { guardedValue } from "../store-fault.ts";
import { STANDING_STOP, stoppedOf, type StopRow } from "./stop-store.ts";

/** The stop that stands in a data directory as it lies there, also beside a running instance. Nothing is written. */
export function readStop(dataDir: string): Result<Stopped | null, StoreFault> {
  const file = join(dataDir, "silas.db");
  if (!existsSync(file)) return ok(null);
  return guardedValue(() => {
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      const isKept = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'global_stops'").get() !== undefined;
      const row = isKept ? (db.prepare(STANDING_STOP).get() as StopRow | undefined) : undefined;
      return row === undefined ? null : stoppedOf(row);
    } finally {
      db.close();
    }
  });
}
