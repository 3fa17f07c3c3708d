import { assert, ok, type Instant } from "#base";
import type { Stopped } from "#model";
import type { StopStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";

export type StopRow = { readonly number: number; readonly stopped_at: string; readonly stopped_by: string };

export const STANDING_STOP = "SELECT number, stopped_at, stopped_by FROM global_stops WHERE ended_at IS NULL";

/** Stops on a migrated `silas.db`: each is a row, and its end is written into it once. */
export function createStopStore({ db, recordAct }: { readonly db: Sqlite; readonly recordAct: RecordAct }): StopStore {
  const standing = (): StopRow | null => db.get<StopRow>(STANDING_STOP);
  return {
    current: async () =>
      guardedValue(() => {
        const row = standing();
        return row === null ? null : stoppedOf(row);
      }),
    stop: async ({ at, actor }) =>
      guarded(() =>
        db.transaction(() => {
          if (standing() === null) {
            db.run("INSERT INTO global_stops (stopped_at, stopped_by) VALUES (:at, :by)", { at, by: actor.kind });
            recordAct({ event: "everything_stopped", data: {}, at, actor });
          }
          const row = standing();
          assert(row !== null, "a stop stands once it is kept");
          return ok(stoppedOf(row));
        }),
      ),
    startAgain: async ({ at, actor }) =>
      guarded(() =>
        db.transaction(() => {
          const row = standing();
          if (row === null) return ok(false);
          db.run("UPDATE global_stops SET ended_at = :at WHERE number = :number", { at, number: row.number });
          recordAct({ event: "started_again", data: { stopped_at: row.stopped_at }, at, actor });
          return ok(true);
        }),
      ),
  };
}

export const stoppedOf = ({ stopped_at: at, stopped_by: by }: StopRow): Stopped => ({
  at: at as Instant,
  by: by as Stopped["by"],
});

/** INVARIANT: a disk that takes no write never keeps the owner from stopping: what is asked for holds in this process. */
export function withHeldStop(stops: StopStore): StopStore {
  let held: Stopped | null = null;
  return {
    current: () => (held === null ? stops.current() : Promise.resolve(ok(held))),
    async stop(given) {
      held ??= { at: given.at, by: given.actor.kind };
      const kept = await stops.stop(given);
      if (kept.ok) held = null;
      return kept;
    },
    async startAgain(given) {
      const again = await stops.startAgain(given);
      if (!again.ok || held === null) return again;
      held = null;
      return ok(true);
    },
  };
}
