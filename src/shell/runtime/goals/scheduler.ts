import { LIMITS, msOfInstant, ok, type Instant } from "#base";
import type { AuditActor, Cycle, KeptGoal } from "#model";
import { createMutex, type Clock, type GoalNote, type GoalStore, type Log, type Timers } from "#ports";
import { planDue, type DuePlan, type MissedPolicy, type SkippedDues } from "#work";
import type { Cycles } from "./cycles.ts";
import { timingOf, type GoalTimes } from "./goal-times.ts";

type SchedulerDeps = Omit<GoalTimes, "timesOf"> & {
  readonly goals: GoalStore;
  readonly cycles: Cycles;
  readonly settings: SchedulerSettings;
  /** Whether everything is stopped: what is due then is missed. */
  readonly isStopped: () => Promise<boolean>;
  readonly clock: Clock;
  readonly timers: Timers;
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
  /** From now on, until it is closed. */
  start(): Promise<void>;
  /** Takes up goals that were approved since, by their newest approval. */
  adopt(): Promise<void>;
  /** Something changed: goals may have been approved, and what cycles wait for may have come. */
  wake(): Promise<void>;
  close(): void;
};

const SYSTEM: AuditActor = { kind: "system" };
/** What is due and could not be begun is not tried in a circle. */
const AGAIN_MS = 1_000;

/** Wakes when the next goal is due, and at least once a minute, since clocks are set and machines sleep. */
export function createScheduler(deps: SchedulerDeps): Scheduler {
  let cancel: (() => void) | null = null;
  let isClosed = false;
  let ticking: Promise<void> | null = null;
  // One after the other, so that nobody takes a goal up twice.
  const inTurn = createMutex();
  const adoptNext = (): Promise<void> => inTurn(() => adopt(deps));
  const unable: Unable = new Set();

  const arm = async (): Promise<void> => {
    if (isClosed || !deps.settings.isEnabled) return;
    // Nothing is due while everything is stopped; that it is not any longer is told.
    const listed = (await deps.isStopped()) ? ok([]) : await deps.goals.list();
    if (isClosed) return;
    const at = msOfInstant(deps.clock.now());
    const dues = (listed.ok ? listed.value : []).flatMap((kept) =>
      kept.nextDue === null || unable.has(nameOf(kept)) || deps.cycles.isBusy(kept.goalId)
        ? []
        : [Math.max(AGAIN_MS, msOfInstant(kept.nextDue) - at)],
    );
    cancel?.();
    const delayMs = Math.min(LIMITS.schedulerSleepMs, ...dues);
    cancel = deps.timers.after(delayMs, () => void tick());
  };
  const tickAndArm = async (): Promise<void> => {
    try {
      await tickOnce(deps, { onIdle: arm, unable });
    } catch (cause) {
      deps.log.error("scheduler_broken", { cause });
    } finally {
      ticking = null;
    }
    await arm();
  };
  const tick = (): Promise<void> => (ticking ??= tickAndArm());
  return {
    async start() {
      await deps.cycles.recover();
      await adoptNext();
      await tick();
    },
    adopt: adoptNext,
    async wake() {
      if (isClosed) return;
      await adoptNext();
      await deps.cycles.nudge();
      await arm();
    },
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}

/** INVARIANT: a goal is scheduled only once its plan was approved, and by its newest approval. [GOAL-01] */
async function adopt({ goals, timetableOf, zoneNow, clock, log }: SchedulerDeps): Promise<void> {
  const approved = await goals.approved();
  const known = await goals.list();
  if (!approved.ok || !known.ok) {
    return log.error("goals_unreadable", approved.ok ? {} : approved.error);
  }
  const requests = new Map(known.value.map(({ goalId, requestId }) => [goalId, requestId]));
  const fresh = approved.value.filter(({ goalId, requestId }) => requests.get(goalId) !== requestId);
  for (const goal of fresh) {
    const at = clock.now();
    const timeZone = zoneNow();
    const timetable = await timetableOf({ requestId: goal.requestId, timeZone });
    const kept = await goals.schedule({ goal, timeZone, nextDue: timetable?.next(at) ?? null, at });
    if (!kept.ok) log.error("goal_not_kept", { goal_id: goal.goalId, ...kept.error });
  }
}

/** Goals that could not be looked after the last time: they wake nobody, and are tried when somebody is awake. */
type Unable = Set<string>;
const nameOf = ({ goalId, requestId }: KeptGoal): string => `${goalId} ${requestId}`;

type Ticking = { readonly onIdle: () => Promise<void>; readonly unable: Unable };

async function tickOnce(deps: SchedulerDeps, { onIdle, unable }: Ticking): Promise<void> {
  if (await deps.isStopped()) return;
  await deps.cycles.nudge();
  const listed = await deps.goals.list();
  if (!listed.ok) return deps.log.error("goals_unreadable", listed.error);
  for (const kept of listed.value) {
    if (kept.isPaused || deps.cycles.isBusy(kept.goalId)) continue;
    const fault = await lookAfter(deps, { kept, onIdle });
    const name = nameOf(kept);
    if (fault === null) unable.delete(name);
    else if (!unable.has(name)) {
      unable.add(name);
      deps.log.error(fault.code, { ...fault, goal_id: kept.goalId });
    }
  }
}

type LookedAfter = { readonly kept: KeptGoal; readonly onIdle: () => Promise<void> };

type Fault = { readonly code: string };

/** What kept it from being looked after, else null. */
async function lookAfter(deps: SchedulerDeps, { kept, onIdle }: LookedAfter): Promise<Fault | null> {
  const { goals, settings, clock } = deps;
  const at = clock.now();
  const isAhead = kept.lastDue !== null && kept.lastDue > at;
  if (!isAhead && (kept.nextDue === null || kept.nextDue > at)) return null;
  const timetable = await deps.timetableOf(timingOf(deps, kept));
  const last = await goals.lastCycle(kept.goalId);
  if (timetable === null || !last.ok) return { code: "goal_unreadable" };
  const { nextDue, lastDue } = kept;
  const { graceMs } = settings;
  const policy = policyFor(settings, { last: last.value, latest: timetable.last(at) });
  const plan = planDue({ timetable, nextDue, lastDue, at, policy, graceMs });
  if (plan.kind === "wait") return null;
  if (plan.kind === "check") {
    begin(deps, { kept, plan, last: last.value, onIdle });
    return null;
  }
  const moved = await goals.plan({ goalId: kept.goalId, ...planned(plan, { kept, at }), at });
  if (!moved.ok) return { ...moved.error, code: "goal_not_kept" };
  if (plan.kind === "ask") deps.onChanged();
  return null;
}

/** What fell into a look that was not over was not missed: one look makes up for it, whatever the policy. */
function policyFor({ policy }: SchedulerSettings, { last, latest }: LastLook): MissedPolicy {
  const isBusy = last?.endedAt != null && latest !== null && latest <= last.endedAt;
  return isBusy ? "once" : policy;
}
type LastLook = { readonly last: Cycle | null; readonly latest: Instant | null };

type Checking = LookedAfter & {
  readonly plan: Extract<DuePlan, { readonly kind: "check" }>;
  readonly last: Cycle | null;
};

/** Not waited for: a look may take long, and other goals are due. */
function begin({ cycles, log }: SchedulerDeps, { kept, plan, last, onIdle }: Checking): void {
  const { due, trigger, skipped, nextDue } = plan;
  const isBusy = skipped !== null && last?.endedAt != null && skipped.until <= last.endedAt;
  const notes = skipped === null ? [] : [skippedNote(skipped, isBusy ? "busy" : "missed")];
  const next = { nextDue, lastDue: due, missedCount: 0 };
  const looking = { kept, trigger, due, skipped: skipped?.count ?? 0, next, notes, actor: SYSTEM };
  void cycles
    .begin(looking)
    .then(onIdle)
    .catch((cause: unknown) => log.error("goal_cycle_broken", { goal_id: kept.goalId, cause }));
}

type Without = Exclude<DuePlan, { readonly kind: "check" | "wait" }>;

function planned(plan: Without, { kept, at }: { readonly kept: KeptGoal; readonly at: Instant }) {
  const { nextDue } = plan;
  if (plan.kind === "replan") {
    const note: GoalNote = { kind: "goal_replanned", plannedUntil: kept.lastDue ?? at };
    return { next: { nextDue, lastDue: null, missedCount: kept.missedCount }, notes: [note] };
  }
  const { skipped, kind } = plan;
  const missedCount = kind === "ask" ? kept.missedCount + skipped.count : 0;
  const note = skippedNote(skipped, kind === "ask" ? "asked" : "missed");
  return { next: { nextDue, lastDue: skipped.until, missedCount }, notes: [note] };
}

const skippedNote = ({ count, since, until }: SkippedDues, reason: "missed" | "busy" | "asked"): GoalNote => ({
  kind: "goal_checks_skipped",
  count,
  since,
  until,
  reason,
});
