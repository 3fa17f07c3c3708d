import type { Instant, Result } from "#base";
import { UNUSED, type TimerOwner } from "#engine";
import type { StoreFault } from "#model";
import { systemZone } from "../system.ts";
import type { SuggestionDeps } from "./deps.ts";

const MINUTE_MS = 60_000;
const OWNER = "suggestion";

type Heartbeat = { start(): Promise<void>; readonly timed: TimerOwner };
type Beating = { readonly deps: SuggestionDeps; readonly look: (at: Instant) => Promise<Result<unknown, StoreFault>> };

/**
 * Looks when the schedule says so. What was due while nobody could look is made up for by one look, and the others are
 * told of in the chain. Switched off it registers nothing at all. [SUGG-01]
 */
export function createHeartbeat({ deps, look }: Beating): Heartbeat {
  const { config, suggestions, timerTable, clock, log } = deps;
  const key = `${OWNER}:${config.ownerId}`;
  return {
    async start() {
      if (!config.suggestions.enabled) return timerTable.clear(key);
      const { timezone, missedRunGraceMinutes } = config.scheduler;
      const zone = { timeZone: timezone ?? systemZone(), follows: timezone === null };
      const graceMs = missedRunGraceMinutes * MINUTE_MS;
      const setting = { key, owner: OWNER, schedule: config.suggestions.heartbeatCron, zone, graceMs };
      const set = await timerTable.set({ ...setting, policy: "once" }, clock.now());
      if (!set.ok) log.error("suggestions_not_planned", set.error);
    },
    timed: {
      runs: "unless_stopped",
      records: "own",
      async handle({ how, skipped }) {
        const at = clock.now();
        // Looked first: a look that was interrupted is taken once more, and says nothing twice.
        const looked = how === "run" ? await look(at) : null;
        if (looked?.ok === false) {
          log.error("suggestions_not_looked", looked.error);
          if (looked.error.retryable) return UNUSED;
        }
        const write = (): void => {
          if (skipped !== null) suggestions.noteSkipped(skipped, at);
        };
        return { how: "done", write };
      },
    },
  };
}
