import { err, msOfInstant, ok, type Instant, type Result } from "#base";
import { DONE, UNUSED, type Outcome, type TimerOwner, type TimerTable } from "#engine";
import type { ApprovedGoal, AuditActor, KeptGoal, MissedPolicy, SkippedTimes, StoreFault, TimerDue } from "#model";
import { createMutex, type Clock, type GoalNote, type GoalStore, type Log } from "#ports";
import type { Cycles, KnownGoal } from "./cycles.ts";
import type { GoalTimes } from "./goal-times.ts";

type SchedulerDeps = Omit<GoalTimes, "timesOf"> & {
  readonly goals: GoalStore;
  readonly timerTable: TimerTable;
  readonly goalOf: (requestId: string) => Promise<KnownGoal>;
  readonly cycles: Cycles;
  readonly settings: SchedulerSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when the owner is asked about checks that were missed. */
  readonly onChanged: () => void;
};
type SchedulerSettings = {
  readonly isEnabled: boolean;
  readonly policy: MissedPolicy;
  readonly graceMs: number;
};

export type Scheduler = {
  /** Resumes what an earlier process left. */
  start(): Promise<void>;
  /** Schedules goals that were approved since, by their newest approval. After a fault, asked again, it does the rest. */
  adopt(): Promise<Result<void, StoreFault>>;
  /** What cycles wait for may have come. */
  look(): Promise<void>;
  /** Checks a goal when its timer is due. */
  readonly owner: TimerOwner;
};

const SYSTEM: AuditActor = { kind: "system" };
const OWNER = "goal";
const goalIdOf = (key: string): string => key.slice(OWNER.length + 1);

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { cycles, settings, timerTable } = deps;
  // One after the other, so that no goal is adopted twice.
  const inTurn = createMutex();
  const adoptNext = (): Promise<Result<void, StoreFault>> => inTurn(() => adopt(deps));
  return {
    async start() {
      const { policy, graceMs } = settings;
      timerTable.setTerms({ owner: OWNER, policy, graceMs, timeZone: deps.zoneOf({ timeZone: null }) });
      await cycles.recover();
      await adoptNext();
    },
    adopt: adoptNext,
    async look() {
      await cycles.nudge();
      timerTable.wake();
    },
    owner: {
      runs: settings.isEnabled ? "unless_stopped" : "never",
      records: "own",
      isBusy: (key) => cycles.isBusy(goalIdOf(key)),
      busyUntil: (key) => busyUntil(deps, goalIdOf(key)),
      onWake: () => cycles.nudge(),
      handle: (due) => handle(deps, due),
    },
  };
}

/** INVARIANT: a goal is scheduled only once its plan was approved, and by its newest approval. [GOAL-01] */
async function adopt(deps: SchedulerDeps): Promise<Result<void, StoreFault>> {
  const { goals, log } = deps;
  const fresh = await freshGoals(goals);
  if (!fresh.ok) {
    log.error("goals_unreadable", fresh.error);
    return fresh;
  }
  let adopted: Result<void, StoreFault> = ok();
  for (const goal of fresh.value) {
    const kept = await schedule(deps, goal);
    if (kept.ok) continue;
    log.error("goal_not_kept", { goal_id: goal.goalId, ...kept.error });
    adopted = kept;
  }
  return adopted;
}

/** Goals whose newest approval is not the one they go by. */
async function freshGoals(goals: GoalStore): Promise<Result<readonly ApprovedGoal[], StoreFault>> {
  const approved = await goals.approved();
  if (!approved.ok) return approved;
  const known = await goals.list();
  if (!known.ok) return known;
  const requests = new Map(known.value.map(({ goalId, requestId }) => [goalId, requestId]));
  return ok(approved.value.filter(({ goalId, requestId }) => requests.get(goalId) !== requestId));
}

/** A goal whose plan is damaged has no timer. One that cannot be read now is not kept, so that it is read again. */
async function schedule(deps: SchedulerDeps, goal: ApprovedGoal): Promise<Result<void, StoreFault>> {
  const { goals, goalOf, timetableOf, zoneNow, settings, clock } = deps;
  const { policy, graceMs } = settings;
  const { requestId } = goal;
  const timeZone = zoneNow();
  const loaded = await goalOf(requestId);
  if (!loaded.ok && "retryable" in loaded.error && loaded.error.retryable) return err(loaded.error);
  const timetable = await timetableOf({ requestId, timeZone });
  const at = clock.now();
  const planned = loaded.ok ? loaded.value.item.schedule : null;
  const nextDue = timetable?.next(at) ?? null;
  const timer = planned === null ? null : { schedule: planned, timeZone, policy, graceMs, nextDue };
  return goals.schedule({ goal, timer, at });
}

/** When the last look ended. A goal whose records cannot be read is not looked at. */
async function busyUntil(
  { goals, goalOf }: SchedulerDeps,
  goalId: string,
): Promise<Result<Instant | null, { readonly code: string }>> {
  const kept = await goals.find(goalId);
  if (!kept.ok) return { ok: false, error: { ...kept.error, code: "goal_unreadable" } };
  const goal = kept.value === null ? null : await goalOf(kept.value.requestId);
  const last = await goals.lastCycle(goalId);
  if (goal?.ok === false || !last.ok) return { ok: false, error: { code: "goal_unreadable" } };
  return ok(last.value?.endedAt ?? null);
}

async function handle(deps: SchedulerDeps, due: TimerDue): Promise<Outcome> {
  const { goals, log } = deps;
  const goalId = goalIdOf(due.key);
  const kept = await goals.find(goalId);
  if (!kept.ok) {
    log.error("goal_unreadable", { goal_id: goalId, ...kept.error });
    return UNUSED;
  }
  // Paused since it was due.
  if (kept.value === null || kept.value.isPaused) return DONE;
  return due.how === "run" ? check(deps, { kept: kept.value, due }) : note(deps, { kept: kept.value, due });
}

type Handling = { readonly kept: KeptGoal; readonly due: TimerDue };

/** The message stays until the look is kept, so that one which was interrupted is taken again. */
async function check(deps: SchedulerDeps, { kept, due }: Handling): Promise<Outcome> {
  const { goals, cycles, clock, settings, timerTable, log } = deps;
  const { goalId } = kept;
  const last = await goals.lastCycle(goalId);
  if (!last.ok) {
    log.error("goal_unreadable", { goal_id: goalId, ...last.error });
    return UNUSED;
  }
  // A process that ended before it settled the message had kept the look.
  if (last.value?.due === due.dueAt) return DONE;
  const isLate = msOfInstant(clock.now()) - msOfInstant(due.dueAt) > settings.graceMs;
  const notes = due.skipped === null ? [] : [skippedNote(due.skipped, due.skipped.reason)];
  const begun = await cycles.begin({
    kept,
    trigger: due.isMissed || isLate ? "missed" : "schedule",
    due: due.dueAt,
    skipped: due.skipped?.count ?? 0,
    notes,
    actor: SYSTEM,
  });
  timerTable.wake();
  return begun === "begun" ? DONE : UNUSED;
}

/** Times that pass without a look. */
function note({ goals, clock, onChanged }: SchedulerDeps, { kept, due }: Handling): Outcome {
  const { goalId } = kept;
  const { how, skipped, dueAt } = due;
  const at = clock.now();
  if (how === "replan" || skipped === null) {
    const replanned: GoalNote = { kind: "goal_replanned", plannedUntil: dueAt };
    return { how: "done", write: () => goals.note({ goalId, missedCount: kept.missedCount, notes: [replanned], at }) };
  }
  const isAsked = how === "ask";
  const missedCount = isAsked ? kept.missedCount + skipped.count : 0;
  const notes = [skippedNote(skipped, isAsked ? "asked" : "missed")];
  const write = (): void => {
    goals.note({ goalId, missedCount, notes, at });
    if (isAsked) onChanged();
  };
  return { how: "done", write };
}

const skippedNote = (
  { count, since, until }: SkippedTimes,
  reason: Extract<GoalNote, { readonly kind: "goal_checks_skipped" }>["reason"],
): GoalNote => ({ kind: "goal_checks_skipped", count, since, until, reason });
