import { msOfInstant, type Instant } from "#base";
import type { RunRecord } from "#model";
import { readStep } from "../steps/tool-call.ts";
import {
  beginAttempt,
  gated,
  judged,
  nextStep,
  opened,
  openSpace,
  runChecks,
  stepped,
  verified,
  type Of,
} from "./attempt.ts";
import { NOTHING_USED } from "./budget.ts";
import type { Advance, FoundRun, RunEffect, RunFact, RunGrant, RunState } from "./facts.ts";
import { mergedArtifacts } from "./ledger.ts";
import { afterInterruption, type AfterInterruption } from "./recovery.ts";
import { CANCELLED, finish, record, rest } from "./writes.ts";

/** A run of an approval that was granted. Nothing happens until it is told to begin. */
export function createRun({ plan, systemGates, runId, tokenId, planHash, at }: RunGrant): RunState {
  const run: RunRecord = {
    runId,
    workItemId: plan.id,
    tokenId,
    planHash,
    status: "pending",
    isVerified: false,
    isPausing: false,
    attempts: 0,
    budgetUsed: NOTHING_USED,
    lastError: null,
    results: [],
    artifacts: {},
    startedAt: at,
    endedAt: null,
  };
  return { ...freshState, plan, gates: [...systemGates, ...plan.gates], run, usedBeforeSeconds: 0, activeSince: at };
}

/** A run that a process left behind, from what was kept of it. */
export function reloadRun({ plan, systemGates, run, ledger, at }: FoundRun): RunState {
  const isOver = run.endedAt !== null;
  return {
    ...freshState,
    plan,
    gates: [...systemGates, ...plan.gates],
    run,
    phase: isOver ? "over" : "new",
    executions: ledger.length,
    found: ledger,
    usedBeforeSeconds: run.budgetUsed.wallTimeSeconds,
    activeSince: at,
  };
}

const freshState = {
  phase: "new",
  next: "attempt",
  hasSpace: false,
  isCancelled: false,
  pass: [],
  judged: null,
  executions: 0,
  found: null,
} as const satisfies Partial<RunState>;

/**
 * The whole run: what is known, and one more fact, give what is known then and what is to be done. A fact that nobody
 * waits for changes nothing, so one that comes twice or too late does no harm. Equal facts give equal effects.
 */
export function advanceRun(before: RunState, fact: RunFact): Advance {
  const state = withTime(before, fact.at);
  const { at } = fact;
  if (state.phase === "over") return idle(before);
  if (fact.kind === "cancel") return cancel(state, at);
  if (fact.kind === "pause") return pause(before, state);
  if (fact.kind === "resume") return resume(state, at);
  switch (state.phase) {
    case "new":
      return fact.kind === "begin" ? begin(state, at) : idle(before);
    case "checking":
      return fact.kind === "approval_checked" ? approved(state, fact) : idle(before);
    case "opening":
      return fact.kind === "space_opened" ? opened(state, fact) : idle(before);
    case "gating":
      return fact.kind === "gates_checked" ? gated(state, fact) : idle(before);
    case "stepping":
      return fact.kind === "step_ended" ? stepped(state, fact) : idle(before);
    case "judging":
      return fact.kind === "gates_checked" ? judged(state, fact) : idle(before);
    case "verifying":
      return fact.kind === "checks_ran" ? verified(state, fact) : idle(before);
    case "paused":
      return idle(before);
  }
}

const idle = (state: RunState): Advance => ({ state, effects: [] });

/** Entry. Whatever is wrong with the plan or was left in doubt ends here; nothing runs before the approval was checked. */
function begin(state: RunState, at: Instant): Advance {
  const { plan, found, run } = state;
  if (plan.steps.length === 0) return finish(state, { at, status: "blocked", error: "The plan has no steps to run" });
  const wrong = plan.steps.find((step) => !readStep(step).ok);
  if (wrong !== undefined) return finish(state, { at, status: "blocked", error: `Step ${wrong.name} cannot be run` });
  // A pause outlives the process: what was held, or was to be held, is not taken up by a start.
  if (run.status === "paused") return idle({ ...state, phase: "paused" });
  if (run.isPausing) return rest(state, { next: "attempt", entries: [] });
  if (found === null) return { state: { ...state, phase: "checking" }, effects: [CHECK_APPROVAL] };
  return takeUp(state, { plans: plansOf(state, at), at });
}

const CHECK_APPROVAL: RunEffect = { kind: "check_approval" };

type TakingUp = { readonly plans: AfterInterruption; readonly at: Instant };

/** What a process before this one left behind. */
function takeUp(state: RunState, { plans, at }: TakingUp): Advance {
  const run = { ...state.run, artifacts: mergedArtifacts(plans.pass) };
  const known = { ...state, found: null, pass: plans.pass, run };
  if (plans.kind === "finish") return finish(known, { ...plans, at });
  const { entries, next } = plans;
  const kept: readonly RunEffect[] = entries.length > 0 ? [record(known, { entries })] : [];
  return { state: { ...known, phase: "checking", next }, effects: [...kept, CHECK_APPROVAL] };
}

const plansOf = ({ plan, run, found }: RunState, at: Instant): AfterInterruption =>
  afterInterruption({ plan, run, ledger: found ?? [], at });

function approved(state: RunState, { refusal, at }: Of<"approval_checked">): Advance {
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  if (refusal !== null) {
    const event = { kind: "execution_blocked_no_approval", reason: refusal } as const;
    return finish(state, { at, status: "blocked", error: `The approval does not hold: ${refusal}`, events: [event] });
  }
  switch (state.next) {
    case "attempt":
      return beginAttempt(state, { at, entries: [] });
    case "step":
      return nextStep(state, { at, entries: [] });
    case "checks":
      return runChecks(state, []);
    case "repeat":
    case "recheck":
      return openSpace(state, []);
  }
}

/** Asked for, and kept at once; it comes before the next step, so that nothing is cut in the middle. */
function pause(before: RunState, state: RunState): Advance {
  if (state.phase === "new" || state.phase === "paused" || state.isCancelled || state.run.isPausing)
    return idle(before);
  const asked = { ...state, run: { ...state.run, isPausing: true } };
  return { state: asked, effects: [record(asked, {})] };
}

/** Goes on where it was held; after a restart by the rules for what was interrupted. The approval is checked again. */
function resume(before: RunState, at: Instant): Advance {
  const run = { ...before.run, isPausing: false };
  if (before.phase !== "paused") {
    return before.run.isPausing
      ? { state: { ...before, run }, effects: [record({ ...before, run }, {})] }
      : idle(before);
  }
  const state: RunState = { ...before, run: { ...run, status: "running" }, activeSince: at };
  const kept = record(state, { events: [{ kind: "run_resumed" }] });
  if (state.found === null) return { state: { ...state, phase: "checking" }, effects: [kept, CHECK_APPROVAL] };
  const taken = takeUp(state, { plans: plansOf(state, at), at });
  return { ...taken, effects: [kept, ...taken.effects] };
}

/** What runs is ended first; the fact of its end closes the run. */
function cancel(state: RunState, at: Instant): Advance {
  const ending = { at, status: "cancelled", error: CANCELLED } as const;
  if (state.phase === "new" || state.phase === "paused") {
    if (state.found === null) return finish(state, ending);
    const plans = plansOf(state, at);
    // What was begun and not seen to end stays in doubt: stopping it now does not tell what it did.
    return plans.kind === "finish"
      ? takeUp(state, { plans, at })
      : finish({ ...state, pass: plans.pass }, { ...ending, entries: plans.entries });
  }
  const isRunning = RUNNING.has(state.phase);
  const effects: readonly RunEffect[] = isRunning && !state.isCancelled ? [{ kind: "stop_running" }] : [];
  return { state: { ...state, isCancelled: true }, effects };
}
const RUNNING: ReadonlySet<RunState["phase"]> = new Set(["gating", "stepping", "judging", "verifying"]);

/** A clock that was set back takes no time away, and while it is paused none passes. */
function withTime(state: RunState, at: Instant): RunState {
  if (state.phase === "paused") return state;
  const passed = (msOfInstant(at) - msOfInstant(state.activeSince)) / 1000;
  const wallTimeSeconds = Math.max(state.run.budgetUsed.wallTimeSeconds, state.usedBeforeSeconds + passed);
  return { ...state, run: { ...state.run, budgetUsed: { ...state.run.budgetUsed, wallTimeSeconds } } };
}
