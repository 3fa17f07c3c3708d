import { ok } from "#base";
import type { Stopped } from "#model";
import type { StopStore } from "#ports";

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
