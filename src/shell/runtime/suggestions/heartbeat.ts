import { LIMITS, msOfInstant, ok, type Instant, type Result } from "#base";
import type { StoreFault } from "#model";
import type { PlannedLook } from "#ports";
import { planDue, type Timetable } from "#work";
import { loadTimetable } from "../goals/timetable.ts";
import type { SuggestionDeps } from "./deps.ts";

const MINUTE_MS = 60_000;
/** What is due and could not be kept is not tried in a circle. */
const AGAIN_MS = 1_000;
/** A start has more urgent things to do, and needs no calendar for them. */
const FIRST_MS = 5_000;

type Heartbeat = { start(): void; close(): void };
type Beating = { readonly deps: SuggestionDeps; readonly look: (at: Instant) => Promise<Result<unknown, StoreFault>> };

/**
 * Looks when the schedule says so. What was due while nobody could look is made up for by one look, and the others are
 * told of in the chain. Switched off it registers nothing at all. [SUGG-01]
 */
export function createHeartbeat({ deps, look }: Beating): Heartbeat {
  const { config, clock, timers, log } = deps;
  let timetable: Timetable | null = null;
  let cancel: (() => void) | null = null;
  let isClosed = false;
  const broke = (cause: unknown): void => log.error("suggestions_broken", { cause });
  const beat = async (): Promise<void> => {
    timetable ??= await loadTimetable(config.suggestions.heartbeatCron, config.scheduler.timezone);
    const nextDue = isClosed ? null : await beatOnce({ deps, look, timetable });
    const untilMs = nextDue === null ? LIMITS.schedulerSleepMs : msOfInstant(nextDue) - msOfInstant(clock.now());
    arm(Math.min(LIMITS.schedulerSleepMs, Math.max(AGAIN_MS, untilMs)));
  };
  const arm = (delayMs: number): void => {
    if (isClosed) return;
    cancel = timers.after(delayMs, () => void beat().catch(broke));
  };
  return {
    start() {
      if (config.suggestions.enabled) arm(FIRST_MS);
    },
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}

type Beat = Beating & { readonly timetable: Timetable };

/** When the next look is due; null when that is not known. */
async function beatOnce({ deps, look, timetable }: Beat): Promise<Instant | null> {
  const { suggestions, config, clock, log } = deps;
  if (await deps.isStopped()) return null;
  const at = clock.now();
  const scopeId = config.ownerId;
  const before = await suggestions.looks(scopeId);
  if (!before.ok) return failed(deps, before.error);
  const { nextDue, lastDue } = before.value ?? { nextDue: null, lastDue: null };
  const graceMs = config.scheduler.missedRunGraceMinutes * MINUTE_MS;
  const plan = planDue({ timetable, nextDue, lastDue, at, policy: "once", graceMs });
  if (plan.kind === "wait" && nextDue !== null) return nextDue;
  const isLook = plan.kind === "check";
  const planned: PlannedLook = {
    scopeId,
    at,
    nextDue: timetable.next(at),
    lastDue: isLook ? plan.due : null,
    skipped: isLook ? plan.skipped : null,
  };
  // Looked first: a look that was interrupted is taken once more, and says nothing twice.
  const looked = isLook ? await look(at) : ok(null);
  if (!looked.ok) log.error("suggestions_not_looked", looked.error);
  const kept = looked.ok || !looked.error.retryable ? await suggestions.planLook(planned) : looked;
  return kept.ok ? planned.nextDue : failed(deps, kept.error);
}

function failed({ log }: SuggestionDeps, fault: StoreFault): null {
  log.error("suggestions_not_planned", fault);
  return null;
}
