import { assert, msOfInstant, type Instant } from "#base";
import { ERROR_CHARS, type LedgerEntry, type RunRecord, type Step } from "#model";
import { readStep, sandboxCall } from "../steps/tool-call.ts";
import { exhausted, NOTHING_USED, remainingMs } from "./budget.ts";
import type { Advance, FoundRun, RunEffect, RunEvent, RunFact, RunGrant, RunState } from "./facts.ts";
import { cut, endedEntry, mergedArtifacts, startedEntry } from "./ledger.ts";
import { afterInterruption } from "./recovery.ts";

/** A run of an approval that was granted. Nothing happens until it is told to begin. */
export function createRun({ plan, runId, tokenId, planHash, at }: RunGrant): RunState {
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
  return { ...freshState, plan, run, usedBeforeSeconds: 0, activeSince: at };
}

/** A run that a process left behind, from what was kept of it. */
export function reloadRun({ plan, run, ledger, at }: FoundRun): RunState {
  const isOver = run.endedAt !== null;
  return {
    ...freshState,
    plan,
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
  if (state.phase === "over") return { state: before, effects: [] };
  if (fact.kind === "cancel") return cancel(state, at);
  switch (state.phase) {
    case "new":
      return fact.kind === "begin" ? begin(state, at) : idle(before);
    case "checking":
      return fact.kind === "approval_checked" ? approved(state, fact) : idle(before);
    case "opening":
      return fact.kind === "space_opened" ? opened(state, fact) : idle(before);
    case "stepping":
      return fact.kind === "step_ended" ? stepped(state, fact) : idle(before);
    case "verifying":
      return fact.kind === "checks_ran" ? verified(state, fact) : idle(before);
  }
}

type Of<K extends RunFact["kind"]> = Extract<RunFact, { readonly kind: K }>;

const idle = (state: RunState): Advance => ({ state, effects: [] });

/** Entry. Whatever is wrong with the plan or was left in doubt ends here; nothing runs before the approval was checked. */
function begin(state: RunState, at: Instant): Advance {
  const { plan, found } = state;
  if (plan.steps.length === 0) return finish(state, { at, status: "blocked", error: "The plan has no steps to run" });
  const wrong = plan.steps.find((step) => !readStep(step).ok);
  if (wrong !== undefined) return finish(state, { at, status: "blocked", error: `Step ${wrong.name} cannot be run` });
  if (found === null) return { state: { ...state, phase: "checking" }, effects: [{ kind: "check_approval" }] };
  const plans = afterInterruption({ plan, run: state.run, ledger: found, at });
  const run = { ...state.run, artifacts: mergedArtifacts(plans.pass) };
  const known = { ...state, found: null, pass: plans.pass, run };
  if (plans.kind === "finish") return finish(known, { ...plans, at });
  const { entries, next } = plans;
  const kept: readonly RunEffect[] = entries.length > 0 ? [record(known, { entries })] : [];
  return { state: { ...known, phase: "checking", next }, effects: [...kept, { kind: "check_approval" }] };
}

function approved(state: RunState, { refusal, at }: Of<"approval_checked">): Advance {
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  if (refusal !== null) {
    const event = { kind: "execution_blocked_no_approval", reason: refusal } as const;
    return finish(state, { at, status: "blocked", error: `The approval does not hold: ${refusal}`, events: [event] });
  }
  return state.next === "attempt" ? beginAttempt(state, { at, entries: [] }) : openSpace(state, []);
}

type Beginning = { readonly at: Instant; readonly entries: readonly LedgerEntry[] };

/** Another attempt, if there is one left: counted and kept before anything of it runs. [WORK-17] [WORK-32] */
function beginAttempt(state: RunState, { at, entries }: Beginning): Advance {
  const { run, plan } = state;
  const used = exhausted({ used: run.budgetUsed, limit: plan.budget, before: "attempt" });
  if (used !== null) {
    const why = used === "attempts" ? run.lastError : null;
    return finish(state, { at, status: "stuck", error: why ?? BUDGET_USED_UP[used], entries });
  }
  const attempts = run.attempts + 1;
  const counted: RunState = {
    ...state,
    next: "attempt",
    run: { ...run, attempts, status: "running", budgetUsed: { ...run.budgetUsed, attempts } },
  };
  const events: readonly RunEvent[] = attempts === 1 ? [{ kind: "run_started" }] : [];
  return openSpace(counted, [record(counted, { entries, events })]);
}

/** Every attempt has a workspace of its own; nothing of the one before is in it. */
function openSpace(state: RunState, before: readonly RunEffect[]): Advance {
  return {
    state: { ...state, phase: "opening", hasSpace: false },
    effects: [...before, ...closing(state), { kind: "open_space", files: state.plan.files }],
  };
}

function opened(before: RunState, { refusal, at }: Of<"space_opened">): Advance {
  const state = { ...before, hasSpace: refusal === null };
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  if (refusal !== null) return finish(state, { at, status: "blocked", error: refusal });
  if (state.next === "recheck") return runChecks(state, []);
  return nextStep({ ...state, pass: [] }, { at, entries: [] });
}

/** The step after those of this pass: kept as started, then run. [BUD-03] [EXEC-12] */
function nextStep(state: RunState, { at, entries }: Beginning): Advance {
  const { plan, run } = state;
  const step = stepAt(state, state.pass.length);
  const used = exhausted({ used: run.budgetUsed, limit: plan.budget, before: "action" });
  if (used !== null) return finish(state, { at, status: "stuck", error: BUDGET_USED_UP[used], entries });
  const entry = startedEntry(state, { step, at });
  const budgetUsed = { ...run.budgetUsed, executorRuns: run.budgetUsed.executorRuns + 1 };
  const started: RunState = {
    ...state,
    phase: "stepping",
    run: { ...run, status: "running", budgetUsed },
    pass: [...state.pass, entry],
    executions: state.executions + 1,
  };
  const call = readStep(step);
  assert(call.ok, "WORK-21 a step was read before its run began");
  const effect: RunEffect = {
    kind: "run_step",
    executionId: entry.executionId,
    stepIndex: entry.stepIndex,
    call: sandboxCall(call.value),
    timeoutMs: Math.min(step.timeout * 1000, remainingMs(budgetUsed, plan.budget)),
    artifacts: step.artifacts,
  };
  return { state: started, effects: [record(started, { entries: [...entries, entry] }), effect] };
}

function stepped(state: RunState, { executionId, outcome, at }: Of<"step_ended">): Advance {
  const open = state.pass.at(-1);
  if (open === undefined || open.executionId !== executionId) return idle(state);
  const entry = endedEntry(open, { step: stepAt(state, open.stepIndex), outcome, at });
  const pass = [...state.pass.slice(0, -1), entry];
  const ended: RunState = { ...state, pass, run: { ...state.run, artifacts: mergedArtifacts(pass) } };
  const entries = [entry];
  if (state.isCancelled) return finish(ended, { at, status: "cancelled", error: CANCELLED, entries });
  if (entry.success !== true) return retry(ended, { at, entries, error: `Step ${entry.stepName}: ${entry.error}` });
  if (pass.length < state.plan.steps.length) return nextStep(ended, { at, entries });
  if (state.plan.verify.length > 0) return runChecks(ended, entries);
  // INV-03: nothing outside has looked at it, and every surface says so.
  return finish(ended, { at, status: "done", error: null, entries });
}

function retry(state: RunState, { at, entries, error }: Beginning & { readonly error: string }): Advance {
  const failed = { ...state, run: { ...state.run, lastError: cut(error, ERROR_CHARS) } };
  return beginAttempt(failed, { at, entries });
}

function runChecks(state: RunState, entries: readonly LedgerEntry[]): Advance {
  const verifying: RunState = { ...state, phase: "verifying", run: { ...state.run, status: "verifying" } };
  return {
    state: verifying,
    effects: [record(verifying, { entries }), { kind: "run_checks", checks: state.plan.verify }],
  };
}

/** Only results of exactly the approved checks count, and all of them must have passed. [INV-03] [WORK-28] [WORK-29] */
function verified(before: RunState, { results, at }: Of<"checks_ran">): Advance {
  const state: RunState = { ...before, run: { ...before.run, results: [...results] } };
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  const { verify } = state.plan;
  const isComplete =
    results.length === verify.length && verify.every(({ name }, index) => results[index]?.name === name);
  const failed = results.filter(({ passed }) => !passed);
  if (isComplete && failed.length === 0) {
    const proven = { ...state, run: { ...state.run, isVerified: true } };
    return finish(proven, { at, status: "done", error: null });
  }
  const error = isComplete
    ? failed.map(({ name, reason }) => `Check ${name}: ${reason}`).join("; ")
    : CHECKS_INCOMPLETE;
  // What the steps did outside cannot be told from here, and must not be done twice.
  if (state.next === "recheck") return finish(state, { at, status: "in_doubt", error });
  return retry(state, { at, entries: [], error });
}

/** What runs is ended first; the fact of its end closes the run. */
function cancel(state: RunState, at: Instant): Advance {
  if (state.phase === "new") return finish(state, { at, status: "cancelled", error: CANCELLED });
  const isRunning = state.phase === "stepping" || state.phase === "verifying";
  const effects: readonly RunEffect[] = isRunning && !state.isCancelled ? [{ kind: "stop_running" }] : [];
  return { state: { ...state, isCancelled: true }, effects };
}

type Ending = {
  readonly at: Instant;
  readonly status: "done" | "stuck" | "blocked" | "cancelled" | "in_doubt";
  readonly error: string | null;
  readonly entries?: readonly LedgerEntry[];
  readonly events?: readonly RunEvent[];
};

function finish(state: RunState, { at, status, error, entries = [], events = [] }: Ending): Advance {
  const lastError = error === null ? null : cut(error, ERROR_CHARS);
  const over: RunState = {
    ...state,
    phase: "over",
    hasSpace: false,
    run: { ...state.run, status, lastError, endedAt: at },
  };
  const last: RunEffect = { kind: "finish", run: over.run, entries, events: [...events, { kind: "run_ended" }] };
  return { state: over, effects: [last, ...closing(state)] };
}

const closing = ({ hasSpace }: RunState): readonly RunEffect[] => (hasSpace ? [{ kind: "close_space" }] : []);

type Kept = { readonly entries?: readonly LedgerEntry[]; readonly events?: readonly RunEvent[] };
const record = ({ run }: RunState, { entries = [], events = [] }: Kept): RunEffect => ({
  kind: "record",
  run,
  entries,
  events,
});

function stepAt({ plan }: RunState, index: number): Step {
  const step = plan.steps[index];
  assert(step !== undefined, "EXEC-12 a step of the ledger is a step of the plan");
  return step;
}

/** A clock that was set back takes no time away. */
function withTime(state: RunState, at: Instant): RunState {
  const passed = (msOfInstant(at) - msOfInstant(state.activeSince)) / 1000;
  const wallTimeSeconds = Math.max(state.run.budgetUsed.wallTimeSeconds, state.usedBeforeSeconds + passed);
  return { ...state, run: { ...state.run, budgetUsed: { ...state.run.budgetUsed, wallTimeSeconds } } };
}

const CANCELLED = "Cancelled";
const CHECKS_INCOMPLETE = "Not every check was run";
const BUDGET_USED_UP = {
  tokens: "The budget of tokens is used up",
  cost: "The budget of cost is used up",
  wall_time: "The budget of time is used up",
  attempts: "The attempts are used up",
} as const;
