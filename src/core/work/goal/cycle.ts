import { assert, type Instant } from "#base";
import {
  isPlainCycle,
  spawnsTask,
  type CheckResult,
  type Cycle,
  type CycleEnd,
  type Repair,
  type WorkItem,
} from "#model";
import { FILE_ALONE, planHash, projectPlan } from "../plan-hash.ts";
import { proves } from "../verify/expectation.ts";
import { buildSpawnedTask, type FailedCheck, type SpawnedTask } from "../spawn.ts";
import type { CycleAdvance, CycleBeginning, CycleEffect, CycleEvent, CycleFact, CycleState } from "./cycle-facts.ts";

/** Begins a look at a goal. Nothing is kept of it until its checks have run. */
export function beginCycle({ goal, previous, at, ...rest }: CycleBeginning): CycleAdvance {
  const cycle: Cycle = {
    goalId: goal.item.id,
    requestId: goal.requestId,
    ...rest,
    state: "ended",
    ended: null,
    isVerified: null,
    reason: null,
    results: [],
    found: null,
    repair: null,
    recheck: null,
    startedAt: at,
    endedAt: null,
  };
  return { state: { goal, cycle, phase: "checking", previous }, effects: [{ kind: "run_checks" }] };
}

/** A cycle that a process left behind goes on with the turn that was kept; each of these may be asked for twice. */
export function resumeCycle({ goal, cycle }: Pick<CycleState, "goal" | "cycle">): CycleAdvance {
  const state: CycleState = { goal, cycle, phase: cycle.state, previous: null };
  return { state, effects: cycle.state === "ended" ? [] : [EFFECT_OF[cycle.state]] };
}

const EFFECT_OF = {
  spending: { kind: "spend_standing" },
  asking: { kind: "ask_owner" },
  waiting: { kind: "await_decision" },
  repairing: { kind: "run_repair" },
  rechecking: { kind: "run_checks" },
} as const satisfies Record<Exclude<Cycle["state"], "ended">, CycleEffect>;

/**
 * One cycle of a goal: what is known, and one more fact, give what is known then and what is to be done. A fact that
 * nobody waits for changes nothing. INVARIANT: of one failure one task is made, and it runs at most once: its attempt is
 * named and kept before the approval is used, and the owner is asked only when nothing was used. [GOAL-01 to GOAL-08]
 */
export function advanceCycle(state: CycleState, fact: CycleFact): CycleAdvance {
  const isChecking = state.phase === "checking" || state.phase === "rechecking";
  // What could not be looked at is not known to be broken, and nothing is repaired.
  if (isChecking && fact.kind === "checks_refused")
    return end(state, { at: fact.at, as: "blocked", reason: fact.code });
  switch (state.phase) {
    case "checking":
      return fact.kind === "checks_ran" ? checked(state, fact) : idle(state);
    case "finding":
      return looked(state, fact);
    case "spending":
      if (fact.kind === "standing_used") return repairing(state, { tokenId: fact.tokenId });
      return fact.kind === "standing_refused" ? asking(state, fact.code) : idle(state);
    case "asking":
      if (fact.kind === "asked") return waiting(state, fact.requestId);
      return fact.kind === "ask_refused" ? end(state, { at: fact.at, as: "blocked", reason: fact.code }) : idle(state);
    case "waiting":
      return decided(state, fact);
    case "repairing":
      return fact.kind === "repair_ended" ? repaired(state, fact) : idle(state);
    case "rechecking":
      return fact.kind === "checks_ran" ? rechecked(state, fact) : idle(state);
    case "ended":
      return idle(state);
  }
}

type Of<K extends CycleFact["kind"]> = Extract<CycleFact, { readonly kind: K }>;
const idle = (state: CycleState): CycleAdvance => ({ state, effects: [] });

function checked(before: CycleState, { results, runId, at }: Of<"checks_ran">): CycleAdvance {
  const { item } = before.goal;
  const state = withCycle(before, { results: [...results] });
  const events = [checkedEvent(item, results)];
  if (item.verify.length === 0 && item.reviewedBatches === null) {
    return end(state, { at, as: "failed", reason: "no_checks", events });
  }
  if (haveAllPassed(item, results)) {
    if (item.reviewedBatches === null) return end(state, { at, as: "healthy", events });
    // Kept with its end: whoever looks again after a crash is told of nothing twice.
    return { state: { ...state, phase: "finding" }, effects: [{ kind: "find_items" }] };
  }
  if (!spawnsTask(projectPlan(item, FILE_ALONE))) return end(state, { at, as: "failed", events });
  const settled = settledBefore(state);
  // Somebody said no to this repair, or did not say anything: asking at every check would only teach to tap.
  if (settled !== null) return end(state, { at, as: "failed", reason: settled, events });
  return makeRepair(state, { runId, at, events });
}

/** A look for items changes nothing: what was found waits for the owner, and the goal is as well as its checks. [BATCH-01] */
function looked(before: CycleState, fact: CycleFact): CycleAdvance {
  const events = [checkedEvent(before.goal.item, before.cycle.results)];
  if (fact.kind === "items_refused") return end(before, { at: fact.at, as: "blocked", reason: fact.code, events });
  if (fact.kind !== "items_found") return idle(before);
  const { inBatches, inQuestions } = fact.found;
  const asked: readonly CycleEvent[] = inBatches + inQuestions === 0 ? [] : [{ kind: "goal_items_asked" }];
  const state = withCycle(before, { found: fact.found });
  return end(state, { at: fact.at, as: "healthy", events: [...events, ...asked] });
}

type Made = { readonly runId: string; readonly at: Instant; readonly events: readonly CycleEvent[] };

/** GOAL-02, GOAL-03: one task, and its hash before anything is asked or used for it. */
function makeRepair(before: CycleState, { runId, at, events }: Made): CycleAdvance {
  const { item: task } = repairTask(before);
  const repair: Repair = {
    taskId: task.id,
    taskHash: planHash(projectPlan(task, { ...FILE_ALONE, skills: before.goal.skills ?? [] })),
    runId,
    tokenId: null,
    requestId: null,
    whyAsked: null,
    status: null,
  };
  const made = [...events, { kind: "goal_repair_made" } as const];
  const state = withCycle(before, { repair });
  // Without steps somebody would have to think of what to do, and there is no model: it is said, not pretended.
  if (task.steps.length === 0) {
    const blocked = withCycle(state, { repair: { ...repair, runId: null } });
    return end(blocked, { at, as: "blocked", reason: "repair_needs_model", events: made });
  }
  // What may have happened outside is not done again on an approval that was given beforehand. [DESIGN 4.14]
  if (before.previous?.repair?.status === "in_doubt") return asking(state, "repair_in_doubt", made);
  return turn(withCycle(state, { state: "spending" }), { events: made, effect: { kind: "spend_standing" } });
}

/** The task of a cycle, from what is kept of it: equal cycles give equal tasks. */
export function repairTask({ goal, cycle }: Pick<CycleState, "goal" | "cycle">): SpawnedTask {
  return buildSpawnedTask({
    goal: goal.item,
    taskId: repairId(goal.item.id, cycle.number),
    failed: failedChecks(cycle.results),
    skills: goal.item.skills,
    at: cycle.startedAt,
  });
}

export const failedChecks = (results: readonly CheckResult[]): readonly FailedCheck[] =>
  results
    .filter(({ passed }) => !passed)
    .map(({ name, reason, output }) => ({ name, output: output === "" ? reason : `${reason}\n${output}` }));

/** Names the goal as far as an id is long enough; the number makes it one of its own. */
const repairId = (goalId: string, number: number): string =>
  `${goalId.slice(0, 110).replace(/[-_.]+$/, "")}.r${number}`;

/** Why the same failure is not asked about again; null when it is another one, or was not asked about. */
function settledBefore({ cycle, previous, goal }: CycleState): string | null {
  if (previous === null || previous.requestId !== goal.requestId || !isSameFailure(cycle, previous)) return null;
  if (previous.ended === "missed") return "missed_before";
  if (previous.reason === "declined") return "declined_before";
  return previous.reason === "missed_before" || previous.reason === "declined_before" ? previous.reason : null;
}

/** The checks that fail now are those that failed when that cycle was over. */
function isSameFailure(cycle: Cycle, previous: Cycle): boolean {
  return failedNames(cycle.results) === failedNames(previous.recheck ?? previous.results);
}
const failedNames = (results: readonly CheckResult[]): string =>
  JSON.stringify(results.filter(({ passed }) => !passed).map(({ name }) => name));

function asking(before: CycleState, why: string, events: readonly CycleEvent[] = []): CycleAdvance {
  const repair = { ...repairOf(before), runId: null, whyAsked: why };
  return turn(withCycle(before, { state: "asking", repair }), { events, effect: { kind: "ask_owner" } });
}

function waiting(before: CycleState, requestId: string): CycleAdvance {
  const state = withCycle(before, { state: "waiting", repair: { ...repairOf(before), requestId } });
  return turn(state, { events: [{ kind: "goal_asked" }], effect: { kind: "await_decision" } });
}

/** GOAL-06, GOAL-07: only an approval lets it run; a decline blocks it; silence is neither, and nothing runs. */
function decided(state: CycleState, fact: CycleFact): CycleAdvance {
  if (fact.kind === "approved") return repairing(state, { runId: fact.runId, tokenId: fact.tokenId });
  if (fact.kind === "declined") return end(state, { at: fact.at, as: "blocked", reason: "declined" });
  if (fact.kind === "ask_refused") return end(state, { at: fact.at, as: "blocked", reason: fact.code });
  return fact.kind === "expired" ? end(state, { at: fact.at, as: "missed", reason: "not_decided" }) : idle(state);
}

function repairing(before: CycleState, granted: Partial<Repair>): CycleAdvance {
  const state = withCycle(before, { state: "repairing", repair: { ...repairOf(before), ...granted } });
  return turn(state, { events: [], effect: { kind: "run_repair" } });
}

/** Whatever the run says of itself, the goal is looked at again. A run in which nothing ran changed nothing. */
function repaired(before: CycleState, { status, at }: Of<"repair_ended">): CycleAdvance {
  const state = withCycle(before, { repair: { ...repairOf(before), status } });
  if (status === "blocked") return end(state, { at, as: "blocked", reason: "repair_blocked" });
  return turn(withCycle(state, { state: "rechecking" }), { events: [], effect: { kind: "run_checks" } });
}

function rechecked(before: CycleState, { results, at }: Of<"checks_ran">): CycleAdvance {
  const { item } = before.goal;
  const state = withCycle(before, { recheck: [...results] });
  const events = [checkedEvent(item, results)];
  return haveAllPassed(item, results)
    ? end(state, { at, as: "healthy", events })
    : end(state, { at, as: "failed", reason: "still_failing", events });
}

/** Only results of exactly the approved checks count. [INV-03] */
function haveAllPassed({ verify }: WorkItem, results: readonly CheckResult[]): boolean {
  const isComplete =
    results.length === verify.length && verify.every(({ name }, index) => results[index]?.name === name);
  return isComplete && results.every(({ passed }) => passed);
}

const checkedEvent = ({ verify }: WorkItem, results: readonly CheckResult[]): CycleEvent => ({
  kind: "goal_checked",
  checks: verify.length,
  failed: verify.flatMap(({ name }, index) => (results[index]?.name === name && results[index].passed ? [] : [index])),
});

type Ending = {
  readonly at: Instant;
  readonly as: CycleEnd;
  readonly reason?: string;
  readonly events?: readonly CycleEvent[];
};

function end(before: CycleState, { at, as, reason, events = [] }: Ending): CycleAdvance {
  // Well is what passed; verified is what could have come out another way.
  const isVerified = as === "healthy" && proves(before.goal.item.verify);
  const state = withCycle(before, { state: "ended", ended: as, isVerified, reason: reason ?? null, endedAt: at });
  // Of a cycle in which all was well the result of the checks says everything.
  const isSaid = isPlainCycle(state.cycle) || state.cycle.found !== null;
  const said: readonly CycleEvent[] = as === "healthy" && isSaid ? events : [...events, { kind: "goal_cycle_ended" }];
  return { state, effects: [{ kind: "record", cycle: state.cycle, events: said }] };
}

type Turn = { readonly events: readonly CycleEvent[]; readonly effect: CycleEffect };
const turn = (state: CycleState, { events, effect }: Turn): CycleAdvance => ({
  state,
  effects: [{ kind: "record", cycle: state.cycle, events }, effect],
});

function withCycle(state: CycleState, change: Partial<Cycle>): CycleState {
  const cycle = { ...state.cycle, ...change };
  return { ...state, cycle, phase: change.state ?? state.phase };
}

function repairOf({ cycle }: CycleState): Repair {
  assert(cycle.repair !== null, "GOAL-02 a repair was made of what failed");
  return cycle.repair;
}
