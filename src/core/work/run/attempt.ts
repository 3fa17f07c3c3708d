import { assert } from "#base";
import { ERROR_CHARS, RETURN_CHARS, type LedgerEntry, type Step, type ToolCall } from "#model";
import { callOf, readStep, sandboxCall } from "../steps/tool-call.ts";
import { exhausted, remainingMs } from "./budget.ts";
import type { Advance, GateMoment, RunEffect, RunEvent, RunFact, RunState } from "./facts.ts";
import { cut, endedEntry, mergedArtifacts, startedEntry } from "./ledger.ts";
import { CANCELLED, closing, finish, record, rest, type Beginning } from "./writes.ts";

/** One attempt: a space, the steps in it with the gates before and after each, and the checks. */

export type Of<K extends RunFact["kind"]> = Extract<RunFact, { readonly kind: K }>;

/** Another attempt, if there is one left: counted and kept before anything of it runs. [WORK-17] [WORK-32] */
export function beginAttempt(state: RunState, { at, entries }: Beginning): Advance {
  const { run, plan } = state;
  const used = exhausted({ used: run.budgetUsed, limit: plan.budget, before: "attempt" });
  if (used !== null) {
    const why = used === "attempts" ? run.lastError : null;
    return finish(state, { at, status: "stuck", error: why ?? BUDGET_USED_UP[used], entries });
  }
  if (run.isPausing) return rest(state, { next: "attempt", entries });
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
export function openSpace(state: RunState, before: readonly RunEffect[]): Advance {
  return {
    state: { ...state, phase: "opening", hasSpace: false },
    effects: [...before, ...closing(state), { kind: "open_space", files: state.plan.files }],
  };
}

export function opened(before: RunState, { refusal, at }: Of<"space_opened">): Advance {
  const state = { ...before, hasSpace: refusal === null };
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  if (refusal !== null) return finish(state, { at, status: "blocked", error: refusal });
  if (state.next === "recheck") return runChecks(state, []);
  return nextStep({ ...state, pass: [] }, { at, entries: [] });
}

/** The step after those of this pass. Gates look at its call before anything of it is kept or runs. [WORK-23] */
export function nextStep(state: RunState, { at, entries }: Beginning): Advance {
  const { plan, run } = state;
  const step = stepAt(state, state.pass.length);
  const used = exhausted({ used: run.budgetUsed, limit: plan.budget, before: "action" });
  if (used !== null) return finish(state, { at, status: "stuck", error: BUDGET_USED_UP[used], entries });
  if (run.isPausing) return rest(state, { next: "step", entries });
  const call = callOf(step);
  if (!mayAsk(state, "on_tool_call")) return startStep(state, { at, entries, call });
  const kept: readonly RunEffect[] = entries.length > 0 ? [record(state, { entries })] : [];
  const stepIndex = state.pass.length;
  const moment: GateMoment = { trigger: "on_tool_call", stepIndex, tool: call.tool, toolArgs: call.args };
  return { state: { ...state, phase: "gating" }, effects: [...kept, { kind: "check_gates", ...moment }] };
}

/** What gates made of the call runs, or nothing does. A rewrite must still be a call of the same tool. */
export function gated(state: RunState, { outcome, at }: Of<"gates_checked">): Advance {
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  const step = stepAt(state, state.pass.length);
  const held = (why: string): Advance =>
    finish(state, { at, status: "blocked", error: `Step ${step.name} was not run: ${why}` });
  if (!outcome.pass) return held(outcome.error);
  if (outcome.toolArgs === null) return startStep(state, { at, entries: [], call: callOf(step) });
  const rewritten = readStep({ run: null, tool: callOf(step).tool, args: outcome.toolArgs });
  return rewritten.ok
    ? startStep(state, { at, entries: [], call: rewritten.value })
    : held("a gate made arguments of it that cannot be run");
}

/** Kept as started, then run. [BUD-03] [EXEC-12] */
function startStep(state: RunState, { at, entries, call }: Beginning & { readonly call: ToolCall }): Advance {
  const { run, plan } = state;
  const step = stepAt(state, state.pass.length);
  const entry = startedEntry(state, { step, at });
  const budgetUsed = { ...run.budgetUsed, executorRuns: run.budgetUsed.executorRuns + 1 };
  const started: RunState = {
    ...state,
    phase: "stepping",
    next: "attempt",
    run: { ...run, status: "running", budgetUsed },
    pass: [...state.pass, entry],
    executions: state.executions + 1,
  };
  const effect: RunEffect = {
    kind: "run_step",
    executionId: entry.executionId,
    stepIndex: entry.stepIndex,
    call: sandboxCall(call),
    timeoutMs: Math.min(step.timeout * 1000, remainingMs(budgetUsed, plan.budget)),
    artifacts: step.artifacts,
  };
  return { state: started, effects: [record(started, { entries: [...entries, entry] }), effect] };
}

export function stepped(state: RunState, { executionId, outcome, at }: Of<"step_ended">): Advance {
  const open = state.pass.at(-1);
  if (open === undefined || open.executionId !== executionId) return { state, effects: [] };
  const entry = endedEntry(open, { step: stepAt(state, open.stepIndex), outcome, at });
  const isAsking = entry.success === true && !state.isCancelled && mayAsk(state, "after_step");
  if (!isAsking || outcome.end === null) return afterStep(state, { at, entry });
  const moment: GateMoment = { trigger: "after_step", stepIndex: open.stepIndex, output: outcome.stdout };
  return { state: { ...state, phase: "judging", judged: entry }, effects: [{ kind: "check_gates", ...moment }] };
}

/** A gate may hold the run here: what the step did is kept, and no check is asked any more. [WORK-26] [WORK-27] */
export function judged(before: RunState, { outcome, at }: Of<"gates_checked">): Advance {
  const entry = before.judged;
  assert(entry !== null, "WORK-26 gates look at a step that ended");
  const state = { ...before, judged: null };
  if (outcome.pass) {
    const returnValue = outcome.output === null ? entry.returnValue : cut(outcome.output, RETURN_CHARS);
    return afterStep(state, { at, entry: { ...entry, returnValue } });
  }
  const held = withEnded(state, entry);
  const status = state.isCancelled ? "cancelled" : "blocked";
  const error = state.isCancelled ? CANCELLED : `After step ${entry.stepName}: ${outcome.error}`;
  return finish(held, { at, status, error, entries: [entry] });
}

const withEnded = (state: RunState, entry: LedgerEntry): RunState => {
  const pass = [...state.pass.slice(0, -1), entry];
  return { ...state, pass, run: { ...state.run, artifacts: mergedArtifacts(pass) } };
};

function afterStep(
  state: RunState,
  { at, entry }: { readonly at: Beginning["at"]; readonly entry: LedgerEntry },
): Advance {
  const ended = withEnded(state, entry);
  const entries = [entry];
  if (state.isCancelled) return finish(ended, { at, status: "cancelled", error: CANCELLED, entries });
  if (entry.success !== true) return retry(ended, { at, entries, error: `Step ${entry.stepName}: ${entry.error}` });
  if (ended.pass.length < state.plan.steps.length) return nextStep(ended, { at, entries });
  if (state.plan.verify.length > 0) return runChecks(ended, entries);
  // INV-03: nothing outside has looked at it, and every surface says so.
  return finish(ended, { at, status: "done", error: null, entries });
}

function retry(state: RunState, { at, entries, error }: Beginning & { readonly error: string }): Advance {
  const failed = { ...state, run: { ...state.run, lastError: cut(error, ERROR_CHARS) } };
  return beginAttempt(failed, { at, entries });
}

export function runChecks(state: RunState, entries: readonly LedgerEntry[]): Advance {
  // Checks that are asked again after a crash are all that is left to do; there is nothing between them and the end.
  if (state.run.isPausing && state.next !== "recheck") return rest(state, { next: "checks", entries });
  const verifying: RunState = { ...state, phase: "verifying", run: { ...state.run, status: "verifying" } };
  return {
    state: verifying,
    effects: [record(verifying, { entries }), { kind: "run_checks", checks: state.plan.verify }],
  };
}

/** Only results of exactly the approved checks count, and all of them must have passed. [INV-03] [WORK-28] [WORK-29] */
export function verified(before: RunState, { results, at }: Of<"checks_ran">): Advance {
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

/** Whether there is a gate to ask. One whose trigger nobody knows counts, so that it is asked, and blocks. */
const mayAsk = ({ gates }: RunState, trigger: GateMoment["trigger"]): boolean =>
  gates.some(({ on }) => !OTHER_MOMENTS[trigger].has(on));

const OTHER_MOMENTS: { readonly [T in GateMoment["trigger"]]: ReadonlySet<string> } = {
  on_tool_call: new Set(["every_user_message", "every_agent_response", "after_step"]),
  after_step: new Set(["every_user_message", "every_agent_response", "on_tool_call"]),
};

function stepAt({ plan }: RunState, index: number): Step {
  const step = plan.steps[index];
  assert(step !== undefined, "EXEC-12 a step of the ledger is a step of the plan");
  return step;
}

const CHECKS_INCOMPLETE = "Not every check was run";
const BUDGET_USED_UP = {
  tokens: "The budget of tokens is used up",
  cost: "The budget of cost is used up",
  wall_time: "The budget of time is used up",
  attempts: "The attempts are used up",
} as const;
