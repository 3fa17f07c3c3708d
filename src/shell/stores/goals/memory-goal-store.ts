import { err, LIMITS, ok, type Result } from "#base";
import { isPlainCycle, type ApprovedGoal, type Cycle, type KeptGoal, type StoreFault } from "#model";
import type { CycleChange, GoalPausing, GoalScheduling, GoalStore, NextLook } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { cycleDrafts, leftDraft, noteDrafts, pausedDraft, scheduledDraft } from "./drafts.ts";

type Kept = {
  readonly goals: Map<string, KeptGoal>;
  /** Of each goal, by number. */
  readonly cycles: Map<string, Map<number, Cycle>>;
  readonly recordAct: RecordAct;
};
export type MemoryGoalParts = {
  readonly recordAct: RecordAct;
  /** The newest approval of each goal, in the order of their ids. */
  readonly approved: () => readonly ApprovedGoal[];
};

/** The in-memory twin of the goal store: the same behaviour in the plainest code. */
export function createMemoryGoalStore({ recordAct, approved }: MemoryGoalParts): GoalStore {
  const kept: Kept = { goals: new Map(), cycles: new Map(), recordAct };
  const { goals } = kept;
  return {
    approved: async () => ok(approved()),
    list: async () =>
      ok([...goals.values()].toSorted((a, b) => (a.goalId < b.goalId ? -1 : 1)).slice(0, LIMITS.goalsMax)),
    find: async (goalId) => ok(goals.get(goalId) ?? null),
    schedule: async (scheduling) => ok(schedule(kept, scheduling)),
    pause: async (pausing) => ok(pause(kept, pausing)),
    leave: async (leaving) => {
      const goal = goals.get(leaving.goalId);
      if (goal !== undefined) goals.set(leaving.goalId, { ...goal, missedCount: 0 });
      recordAct(leftDraft(leaving));
      return ok();
    },
    plan: async ({ goalId, next, notes, at }) => {
      lookNext(kept, { goalId, next });
      for (const draft of noteDrafts({ goalId, notes, at })) recordAct(draft);
      return ok();
    },
    keepCycle: async (change) => keepCycle(kept, change),
    open: async () => {
      const open = [...kept.cycles.values()]
        .flatMap((of) => [...of.values()])
        .filter(({ endedAt }) => endedAt === null);
      return ok(open.toSorted((a, b) => (a.goalId < b.goalId ? -1 : 1)));
    },
    lastCycle: async (goalId) => ok(newestFirst(kept, goalId)[0] ?? null),
    cycles: async (goalId) => ok(newestFirst(kept, goalId).slice(0, LIMITS.goalCyclesShown)),
    cycleOfRun: async (runId) => ok(cycleOfRun(kept, runId)),
  };
}

const newestFirst = ({ cycles }: Kept, goalId: string): readonly Cycle[] =>
  [...(cycles.get(goalId)?.values() ?? [])].toSorted((a, b) => b.number - a.number);

const cycleOfRun = ({ cycles }: Kept, runId: string): Cycle | null =>
  [...cycles.values()].flatMap((of) => [...of.values()]).find(({ repair }) => repair?.runId === runId) ?? null;

function schedule({ goals, recordAct }: Kept, { goal, timeZone, nextDue, at }: GoalScheduling): void {
  const before = goals.get(goal.goalId) ?? { isPaused: false, lastDue: null, missedCount: 0 };
  goals.set(goal.goalId, { ...before, ...goal, timeZone, nextDue: before.isPaused ? null : nextDue });
  recordAct(scheduledDraft(goal, at));
}

function pause({ goals, recordAct }: Kept, pausing: GoalPausing): void {
  const { goalId, state, nextDue } = pausing;
  const goal = goals.get(goalId);
  if (goal !== undefined) goals.set(goalId, { ...goal, isPaused: state === "paused", nextDue, missedCount: 0 });
  recordAct(pausedDraft(pausing));
}

function lookNext({ goals }: Kept, { goalId, next }: { readonly goalId: string; readonly next: NextLook }): void {
  const goal = goals.get(goalId);
  if (goal !== undefined) goals.set(goalId, { ...goal, ...next, nextDue: goal.isPaused ? null : next.nextDue });
}

function keepCycle(kept: Kept, change: CycleChange): Result<void, StoreFault> {
  const { cycle, next, notes, at } = change;
  const { goalId, number } = cycle;
  if (!mayKeep(kept, cycle)) return err({ code: "store_failed", retryable: false });
  const of = kept.cycles.get(goalId) ?? new Map<number, Cycle>();
  of.set(number, cycle);
  kept.cycles.set(goalId, of);
  if (next !== null) lookNext(kept, { goalId, next });
  for (const draft of [...cycleDrafts(change), ...noteDrafts({ goalId, notes, at })]) kept.recordAct(draft);
  const plain = newestFirst(kept, goalId).filter(isPlainCycle);
  for (const { number: old } of plain.slice(LIMITS.goalCyclesKept)) of.delete(old);
  return ok();
}

/** Of a goal that is looked after, not after it ended, one at a time, and one for each run. */
function mayKeep(kept: Kept, { goalId, number, endedAt, repair }: Cycle): boolean {
  const others = newestFirst(kept, goalId).filter((one) => one.number !== number);
  const before = kept.cycles.get(goalId)?.get(number);
  const ofRun = cycleOfRun(kept, repair?.runId ?? "");
  return (
    kept.goals.has(goalId) &&
    (before === undefined || before.endedAt === null) &&
    (endedAt !== null || others.every((one) => one.endedAt !== null)) &&
    (ofRun === null || (ofRun.goalId === goalId && ofRun.number === number))
  );
}
