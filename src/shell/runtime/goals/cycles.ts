import { uuidV7, type Instant, type Result } from "#base";
import {
  isPlainCycle,
  type AuditActor,
  type CheckResult,
  type Cycle,
  type CycleTrigger,
  type FoundItems,
  type KeptGoal,
  type StoreFault,
  type WorkItem,
} from "#model";
import type { ApprovalStore, GoalNote, GoalStore, Log, Randomness } from "#ports";
import { advanceCycle, beginCycle, resumeCycle, type CycleEffect, type CycleFact, type CycleState } from "#work";
import { mayPass, type PlanUnusable } from "../work/load-plan.ts";
import { askOwner, decisionOn, type AskDeps } from "./ask-owner.ts";
import type { ChecksRefused, GoalLook } from "./check-goal.ts";
import type { LoadedGoal } from "./load-goal.ts";
import { repairEnd, type RepairDeps } from "./run-repair.ts";
import { spendStanding, type StandingDeps } from "./standing.ts";
import type { Turns } from "./turns.ts";

export type CycleDeps = StandingDeps &
  AskDeps &
  RepairDeps & {
    readonly goals: GoalStore;
    readonly approvals: ApprovalStore;
    readonly goalOf: (requestId: string) => Promise<KnownGoal>;
    /** Runs the checks of a goal, each time behind the gate of its approval. */
    readonly check: (look: GoalLook) => Promise<Result<readonly CheckResult[], ChecksRefused | StoreFault>>;
    /** Looks for the items of a goal whose batches are reviewed. */
    readonly findItems: (goal: WorkItem) => Promise<Result<FoundItems, { readonly code: string } | StoreFault>>;
    readonly randomness: Randomness;
    readonly turns: Turns;
    readonly log: Log;
    /** Told after each change that was kept. */
    readonly onChanged: () => void;
  };

/** A goal as an approval names it, with when it is due. */
export type KnownGoal = Result<LoadedGoal, PlanUnusable | StoreFault>;

type Looking = {
  readonly kept: KeptGoal;
  readonly trigger: CycleTrigger;
  readonly due: Instant | null;
  readonly skipped: number;
  /** What is said about times that passed; kept with the first turn. */
  readonly notes: readonly GoalNote[];
  readonly actor: AuditActor;
};

export type Cycles = {
  isBusy(goalId: string): boolean;
  /**
   * One look at a goal, unless there is one already. Settles when it is over, or waits for a decision or for a run.
   * `unkept`: nothing of it could be kept yet.
   */
  begin(looking: Looking): Promise<"begun" | "unkept" | "busy">;
  /** Takes up what an earlier process left. */
  recover(): Promise<void>;
  /** Looks whether what cycles wait for has come. */
  nudge(): Promise<void>;
  close(): void;
};

/** A cycle on its way. What is first in `todo` when nobody drives it is what it waits for. */
type Going = {
  readonly goal: LoadedGoal;
  readonly kept: KeptGoal;
  readonly actor: AuditActor;
  /** What is kept with the first turn; null once it was. */
  first: Pick<Looking, "notes"> | null;
  state: CycleState;
  readonly todo: CycleEffect[];
  isDriven: boolean;
};
type Performed = CycleFact | "nothing" | "wait";

/** Performs what the machine of `#work` decides. INVARIANT: a goal has one cycle at a time. */
export function createCycles(deps: CycleDeps): Cycles {
  const going = new Map<string, Going>();
  const loading = new Set<string>();
  let isClosed = false;

  const drive = async (one: Going): Promise<void> => {
    if (one.isDriven || isClosed) return;
    one.isDriven = true;
    try {
      for (let effect = one.todo[0]; effect !== undefined; effect = one.todo[0]) {
        const done = await perform({ deps, one, isClosed: () => isClosed }, effect);
        if (isClosed) return;
        if (done === "wait") return;
        one.todo.shift();
        if (done === "nothing") continue;
        const { state, effects } = advanceCycle(one.state, done);
        one.state = state;
        one.todo.push(...effects);
      }
      going.delete(one.kept.goalId);
    } catch (cause) {
      deps.log.error("goal_cycle_broken", { goal_id: one.kept.goalId, cause });
      going.delete(one.kept.goalId);
    } finally {
      one.isDriven = false;
    }
  };

  return {
    isBusy: (goalId) => going.has(goalId) || loading.has(goalId),
    async begin(looking) {
      const { goalId } = looking.kept;
      const before = going.get(goalId);
      const isSame = before !== undefined && looking.due !== null && before.state.cycle.due === looking.due;
      if (isClosed || loading.has(goalId) || (before !== undefined && !isSame)) return "busy";
      loading.add(goalId);
      const one = await (before ?? prepare(deps, looking).finally(() => loading.delete(goalId)));
      loading.delete(goalId);
      if (one === null || isClosed) return "unkept";
      going.set(goalId, one);
      await drive(one);
      return one.first === null ? "begun" : "unkept";
    },
    async recover() {
      const open = await deps.goals.open();
      if (!open.ok) return deps.log.error("goals_unreadable", open.error);
      for (const cycle of open.value) {
        if (going.has(cycle.goalId)) continue;
        const one = await takeUp(deps, cycle);
        if (one === null) continue;
        going.set(cycle.goalId, one);
        void drive(one);
      }
    },
    async nudge() {
      await Promise.all([...going.values()].map(drive));
    },
    close: () => void (isClosed = true),
  };
}

async function prepare(deps: CycleDeps, { kept, notes, actor, ...looking }: Looking): Promise<Going | null> {
  const { goalId, requestId } = kept;
  const goal = await deps.goalOf(requestId);
  const previous = await deps.goals.lastCycle(goalId);
  if (!goal.ok || !previous.ok) {
    deps.log.error("goal_unreadable", { goal_id: goalId, ...(goal.ok ? {} : goal.error) });
    return null;
  }
  const number = (previous.value?.number ?? 0) + 1;
  const about = { item: goal.value.item, requestId, skills: goal.value.skills };
  const at = deps.clock.now();
  const { state, effects } = beginCycle({ goal: about, number, previous: previous.value, at, ...looking });
  return { goal: goal.value, kept, actor, first: { notes }, state, todo: [...effects], isDriven: false };
}

async function takeUp(deps: CycleDeps, cycle: Cycle): Promise<Going | null> {
  const goal = await deps.goalOf(cycle.requestId);
  const kept = await deps.goals.find(cycle.goalId);
  if (!goal.ok || !kept.ok || kept.value === null) {
    deps.log.error("goal_unreadable", { goal_id: cycle.goalId });
    return null;
  }
  const { item, skills } = goal.value;
  const { state, effects } = resumeCycle({ goal: { item, skills, requestId: cycle.requestId }, cycle });
  const actor = { kind: "system" } as const;
  return { goal: goal.value, kept: kept.value, actor, first: null, state, todo: [...effects], isDriven: false };
}

type Performing = { readonly deps: CycleDeps; readonly one: Going; readonly isClosed: () => boolean };

async function perform(performing: Performing, effect: CycleEffect): Promise<Performed> {
  const { deps, one } = performing;
  const { cycle } = one.state;
  switch (effect.kind) {
    case "run_checks":
      return runChecks(performing);
    case "find_items":
      return findItems(performing);
    case "record":
      return keep(performing, effect);
    case "spend_standing": {
      const used = await spendStanding(deps, { goal: one.goal, cycle });
      const at = deps.clock.now();
      if (used.ok) return { kind: "standing_used", at, tokenId: used.value.tokenId };
      return mayPass(used.error) ? "wait" : { kind: "standing_refused", at, code: used.error.code };
    }
    case "ask_owner":
      return askOwner(deps, { goal: one.goal, cycle });
    case "await_decision":
      return decisionOn(deps, cycle);
    case "run_repair":
      return repairEnd(deps, cycle);
  }
}

async function runChecks({ deps, one, isClosed }: Performing): Promise<Performed> {
  const { goal, kept } = one;
  const ran = await deps.turns.take(() => deps.check({ kept, goal, isClosed }));
  const at = deps.clock.now();
  if (ran.ok) return { kind: "checks_ran", at, results: ran.value, runId: uuidV7(at, deps.randomness.bytes(10)) };
  if (!mayPass(ran.error)) return { kind: "checks_refused", at, code: ran.error.code };
  deps.log.error("goal_not_checked", { goal_id: kept.goalId, ...ran.error });
  return "wait";
}

async function findItems({ deps, one }: Performing): Promise<Performed> {
  const found = await deps.turns.take(() => deps.findItems(one.goal.item));
  const at = deps.clock.now();
  if (found.ok) return { kind: "items_found", at, found: found.value };
  return mayPass(found.error) ? "wait" : { kind: "items_refused", at, code: found.error.code };
}

async function keep({ deps, one }: Performing, effect: Extract<CycleEffect, { kind: "record" }>): Promise<Performed> {
  const { cycle, events } = effect;
  const isFirst = one.first !== null;
  const notes = one.first?.notes ?? [];
  const kept = await deps.goals.keepCycle({ cycle, events, isFirst, notes, at: deps.clock.now(), actor: one.actor });
  if (!kept.ok) {
    // What cannot be kept is not done; it is tried again.
    deps.log.error("goal_not_kept", { goal_id: cycle.goalId, ...kept.error });
    return "wait";
  }
  one.first = null;
  // That all is as well as it was before is no news.
  const isNews = !isPlainCycle(cycle) || one.state.previous?.ended !== "healthy";
  if (isNews) deps.onChanged();
  return "nothing";
}
