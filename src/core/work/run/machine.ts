import { assert, msOfInstant, type Instant } from "#base";
import { isModelTurn, reasonWords, type LedgerEntry, type RunRecord } from "#model";
import { begunAnew, REFUSED, takenUp, isModelRun } from "../model-run/answers.ts";
import { answered as modelAnswered } from "../model-run/answered.ts";
import { advised, waitOnForAdvice } from "../consult/advice.ts";
import { readStep } from "../steps/tool-call.ts";
import { gated, judged, nextStep, opened, runChecks, stepped, verified } from "./attempt.ts";
import { beginAttempt, openSpace } from "./begin-attempt.ts";
import { NOTHING_USED, failedEntry, mergedArtifacts, startedEntry } from "./ledger.ts";
import type { Advance, FoundRun, Of, RunEffect, RunFact, RunGrant, RunState } from "./facts.ts";
import { confirm, confirmed, decided, questioned } from "./question.ts";
import { afterInterruption, INTERRUPTED, type AfterInterruption } from "./recovery.ts";
import { stepAt } from "./start-step.ts";
import { CANCELLED, finish, record, rest } from "./writes.ts";

/** A run of an approval that was granted. Nothing happens until it is told to begin. */
export function createRun({ plan, systemGates, planner = "absent", ...grant }: RunGrant): RunState {
  const { runId, tokenId, planHash, at } = grant;
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
  const gates = [...systemGates, ...plan.gates];
  return { ...freshState, ...begunAnew(plan), gates, planner, run, usedBeforeSeconds: 0, activeSince: at };
}

/** A run that a process left behind, from what was kept of it. */
export function reloadRun({ plan, systemGates, planner = "absent", run, ledger, at }: FoundRun): RunState {
  const isOver = run.endedAt !== null;
  return {
    ...freshState,
    ...takenUp(plan, { ledger, attempt: run.attempts }),
    gates: [...systemGates, ...plan.gates],
    planner,
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
  asked: null,
  advice: null,
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
  if (fact.kind === "approval_lapsed") return lapsed(state, fact);
  switch (state.phase) {
    case "new":
      return fact.kind === "begin" ? begin(state, at) : idle(before);
    case "checking":
      return fact.kind === "approval_checked" ? approved(state, fact) : idle(before);
    case "opening":
      return fact.kind === "space_opened" ? opened(state, fact) : idle(before);
    case "thinking":
      return fact.kind === "model_answered" ? modelAnswered(state, fact) : idle(before);
    case "gating":
      return fact.kind === "gates_checked" ? gated(state, fact) : idle(before);
    case "asking":
      return fact.kind === "question_ready" ? questioned(state, fact) : idle(before);
    case "stepping":
      return fact.kind === "step_ended" ? stepped(state, fact) : idle(before);
    case "judging":
      return fact.kind === "gates_checked" ? judged(state, fact) : idle(before);
    case "verifying":
      return fact.kind === "checks_ran" ? verified(state, fact) : idle(before);
    case "waiting":
      return (fact.kind === "decided" ? answered(state, fact) : null) ?? idle(before);
    case "confirming":
      return fact.kind === "decision_checked" ? confirmed(state, fact) : idle(before);
    case "consulting":
      return (fact.kind === "advised" ? advised(state, fact) : null) ?? idle(before);
    case "paused":
      return idle(before);
  }
}

/** After a restart the workspace is gone, so that what was approved is met again on the way through the attempt. */
function answered(state: RunState, fact: Of<"decided">): Advance | null {
  const refused = refusedCall(state, fact);
  if (refused !== null) return refused;
  const taken = decided(state, fact);
  if (taken === null || state.found === null || taken.state.phase !== "checking") return taken;
  const again = takeUp({ ...taken.state, next: "attempt" }, { plans: plansOf(state, fact.at), at: fact.at });
  return { ...again, effects: [record(taken.state, {}), ...again.effects] };
}

/** A call of a model that the owner does not allow is not run, and the model is told so; the run goes on. [APPR-23] */
function refusedCall(state: RunState, { requestId, verdict, at }: Of<"decided">): Advance | null {
  const { question, ...run } = state.run;
  if (state.model === null || verdict === "approved" || question?.requestId !== requestId) return null;
  const step = stepAt(state, question.stepIndex);
  const place = { ...state, pass: state.pass.slice(0, question.stepIndex) };
  const started = { ...startedEntry(place, { step, at }), stepIndex: question.stepIndex };
  const entry = failedEntry(started, { error: REFUSED[verdict], at });
  const going: RunState = {
    ...state,
    phase: "checking",
    next: "step",
    asked: null,
    run: { ...run, status: "running" },
    pass: [...place.pass, entry],
    executions: state.executions + 1,
    activeSince: at,
  };
  const kept = record(going, { entries: [started, entry] });
  if (state.found === null) return { state: going, effects: [kept, CHECK_APPROVAL] };
  const found = [...state.found, entry];
  const again = { ...going, ...takenUp(state.plan, { ledger: found, attempt: run.attempts }), found };
  const taken = takeUp(again, { plans: plansOf(again, at), at });
  return { ...taken, effects: [kept, ...taken.effects] };
}

const idle = (state: RunState): Advance => ({ state, effects: [] });

/** Entry. Whatever is wrong with the plan or was left in doubt ends here; nothing runs before the approval was checked. */
function begin(state: RunState, at: Instant): Advance {
  const { plan, found, run } = state;
  if (plan.steps.length === 0 && !isModelRun(plan))
    return finish(state, { at, status: "blocked", error: "The plan has no steps to run" });
  const wrong = plan.steps.find((step) => !readStep(step).ok);
  if (wrong !== undefined) return finish(state, { at, status: "blocked", error: `Step ${wrong.name} cannot be run` });
  // A pause outlives the process: what was held, or was to be held, is not taken up by a start.
  if (run.status === "paused") return idle({ ...state, phase: "paused" });
  if (run.status === "waiting") return waitOn(state, at);
  if (run.consult !== undefined) return idle(waitOnForAdvice(state));
  if (run.isPausing) return rest(state, { next: "attempt", entries: [] });
  if (found === null) return { state: { ...state, phase: "checking" }, effects: [CHECK_APPROVAL] };
  return takeUp(state, { plans: plansOf(state, at), at });
}

/** It waits on for what it asked before, unless nothing could follow: then there is nothing to decide any more. */
function waitOn(state: RunState, at: Instant): Advance {
  const plans = plansOf(state, at);
  return plans.kind === "finish" ? takeUp(state, { plans, at }) : idle({ ...state, phase: "waiting" });
}

const CHECK_APPROVAL: RunEffect = { kind: "check_approval" };

type TakingUp = { readonly plans: AfterInterruption; readonly at: Instant };

/** What a process before this one left behind. */
function takeUp(state: RunState, { plans, at }: TakingUp): Advance {
  const run = { ...state.run, artifacts: mergedArtifacts(plans.pass) };
  const known = { ...state, found: null, pass: plans.pass, run };
  const entries = [...lostTurns(state, at), ...plans.entries];
  if (plans.kind === "finish") return finish(known, { ...plans, at, entries });
  const { next } = plans;
  const kept: readonly RunEffect[] = entries.length > 0 ? [record(known, { entries })] : [];
  return { state: { ...known, phase: "checking", next }, effects: [...kept, CHECK_APPROVAL] };
}

/** Questions whose answer never came. They changed nothing and may be asked again; what they may have cost stays used. */
const lostTurns = ({ found }: RunState, at: Instant): readonly LedgerEntry[] =>
  (found ?? [])
    .filter((entry) => isModelTurn(entry) && entry.state === "started")
    .map((entry) => failedEntry(entry, { error: INTERRUPTED, at }));

const plansOf = ({ plan, run, found }: RunState, at: Instant): AfterInterruption =>
  afterInterruption({ plan, run, ledger: found ?? [], at });

function approved(state: RunState, { refusal, at }: Of<"approval_checked">): Advance {
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  if (refusal !== null) {
    const event = { kind: "execution_blocked_no_approval", reason: refusal } as const;
    const error = `The approval does not hold: ${reasonWords(refusal)}`;
    return finish(state, { at, status: "blocked", error, events: [event] });
  }
  switch (state.next) {
    case "attempt":
      return beginAttempt(state, { at, entries: [] });
    case "step":
      return nextStep(state, { at, entries: [] });
    case "asked":
      assert(state.asked !== null, "WORK-24 what was asked in this process is known to it");
      return confirm(state, state.asked);
    case "checks":
      return runChecks(state, []);
    case "repeat":
    case "recheck":
      return openSpace(state, []);
  }
}

/**
 * The store refused to keep that something begins: it has not begun and does not count. What had ended with the same
 * write is kept with the end of the run. [WORK-13]
 */
function lapsed(state: RunState, { reason, unkept, at }: Of<"approval_lapsed">): Advance {
  const { run, unbegun = run } = unkept;
  const { wallTimeSeconds } = state.run.budgetUsed;
  const without: RunState = {
    ...state,
    run: { ...unbegun, budgetUsed: { ...unbegun.budgetUsed, wallTimeSeconds } },
  };
  const isOpen = ({ executionId }: LedgerEntry): boolean =>
    unkept.entries.every((entry) => entry.executionId !== executionId || entry.state === "started");
  const entries = unkept.entries.filter((entry) => !isOpen(entry));
  if (state.isCancelled) return finish(without, { at, status: "cancelled", error: CANCELLED, entries });
  const error = `Stopped, because its approval no longer holds: ${reasonWords(reason)}`;
  const events = [{ kind: "execution_blocked_no_approval", reason } as const];
  return finish(without, { at, status: "blocked", error, entries, events });
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
  if (state.run.consult !== undefined) return { state: waitOnForAdvice(state), effects: [kept] };
  const taken = takeUp(state, { plans: plansOf(state, at), at });
  return { ...taken, effects: [kept, ...taken.effects] };
}

/** What runs is ended first; the fact of its end closes the run. */
function cancel(state: RunState, at: Instant): Advance {
  const ending = { at, status: "cancelled", error: CANCELLED } as const;
  if (state.phase === "new" || state.phase === "consulting" || RESTING.has(state.phase)) {
    // Between two attempts nothing is left to be in doubt about.
    if (state.found === null || state.run.consult !== undefined) return finish(state, ending);
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
/** Nothing of it runs, and no time passes for its budget. */
const RESTING: ReadonlySet<RunState["phase"]> = new Set(["paused", "waiting"]);
const RUNNING: ReadonlySet<RunState["phase"]> = new Set(["thinking", "gating", "stepping", "judging", "verifying"]);

/** A clock that was set back takes no time away, and while it rests none passes. */
function withTime(state: RunState, at: Instant): RunState {
  if (RESTING.has(state.phase)) return state;
  const passed = (msOfInstant(at) - msOfInstant(state.activeSince)) / 1000;
  const wallTimeSeconds = Math.max(state.run.budgetUsed.wallTimeSeconds, state.usedBeforeSeconds + passed);
  return { ...state, run: { ...state.run, budgetUsed: { ...state.run.budgetUsed, wallTimeSeconds } } };
}
