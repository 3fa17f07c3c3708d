import { assert } from "#base";
import { RETURN_CHARS, type LedgerEntry } from "#model";
import { isAskingCall, type ToolCall } from "#tools";
import { NOT_RUN } from "../model-run/answers.ts";
import { riskOfCall } from "../model-run/high-risk.ts";
import { think } from "../model-run/think.ts";
import { connectionUse } from "../steps/connection-use.ts";
import { callOf, readStep } from "../steps/tool-call.ts";
import { retryOrConsult } from "../consult/advice.ts";
import { proves } from "../verify/expectation.ts";
import { exhausted, cut, endedEntry, failedEntry, mergedArtifacts, startedEntry } from "./ledger.ts";
import { beginStep, stepAt } from "./start-step.ts";
import { BUDGET_USED_UP, retry } from "./begin-attempt.ts";
import type { Advance, GateMoment, Of, RunEffect, RunState } from "./facts.ts";
import { askOwner } from "./question.ts";
import { answers, shownOf } from "./result.ts";
import { CANCELLED, finish, record, rest, type Beginning } from "./writes.ts";

/** One attempt: a space, the steps in it with the gates before and after each, and the checks. */

export function opened(before: RunState, { refusal, at }: Of<"space_opened">): Advance {
  const state = { ...before, hasSpace: refusal === null };
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  if (refusal !== null) return finish(state, { at, status: "blocked", error: refusal });
  if (state.next === "recheck") return runChecks(state, []);
  return nextStep({ ...state, pass: [] }, { at, entries: [] });
}

/** The step after those of this pass. Gates look at its call before anything of it is kept or runs. [WORK-23] */
export function nextStep(state: RunState, { at, entries }: Beginning): Advance {
  const { plan, run, pass, model } = state;
  const isThrough = pass.length === plan.steps.length;
  if (isThrough && (model === null || model.output !== null)) return conclude(state, { at, entries });
  const used = exhausted({ used: run.budgetUsed, limit: plan.budget, before: "action" });
  if (used !== null) return finish(state, { at, status: "stuck", error: BUDGET_USED_UP[used], entries });
  if (run.isPausing) return rest(state, { next: "step", entries });
  if (isThrough && model !== null) return think({ ...state, model }, { at, entries });
  const step = stepAt(state, pass.length);
  const call = callOf(step);
  const refused = model?.refused.find(({ stepIndex }) => stepIndex === pass.length)?.error ?? null;
  if (refused !== null) return tellModel(state, { at, entries, error: refused });
  const risk = riskOf(state, call);
  // Before a step that uses a connection stands a gate of its own, whatever the plan says. [PERM-02]
  const isGated = risk !== null || connectionUse(call) !== null || mayAsk(state, "on_tool_call");
  if (!isGated) return beginStep(state, { at, entries, call });
  const kept: readonly RunEffect[] = entries.length > 0 ? [record(state, { entries })] : [];
  const stepIndex = pass.length;
  const named = { trigger: "on_tool_call", stepIndex, tool: call.tool, toolArgs: call.args } as const;
  const moment: GateMoment = risk === null ? named : { ...named, risk };
  return { state: { ...state, phase: "gating" }, effects: [...kept, { kind: "check_gates", ...moment }] };
}

/** Why the owner is asked about this call, whatever gates say. What a plan names was asked about with the plan. */
const riskOf = ({ plan, pass, model }: RunState, call: ToolCall): string | null =>
  model === null ? null : riskOfCall(call, { files: plan.files, before: plan.steps.slice(0, pass.length) });

/** The call is not run, and the model is told why. */
function tellModel(state: RunState, { at, entries, error }: Beginning & { readonly error: string }): Advance {
  const started = startedEntry(state, { step: stepAt(state, state.pass.length), at });
  const entry = failedEntry(started, { error, at });
  const told: RunState = { ...state, pass: [...state.pass, entry], executions: state.executions + 1 };
  return nextStep(told, { at, entries: [...entries, started, entry] });
}

/** What gates made of the call runs, or nothing does. A rewrite must still be a call of the same tool. */
export function gated(state: RunState, { outcome, at }: Of<"gates_checked">): Advance {
  if (state.isCancelled) return finish(state, { at, status: "cancelled", error: CANCELLED });
  const step = stepAt(state, state.pass.length);
  const held = (why: string): Advance =>
    finish(state, { at, status: "blocked", error: `Step ${step.name} was not run: ${why}` });
  // Nobody is asked whether to be asked.
  if (!outcome.pass && outcome.ask !== undefined && !isAskingCall(callOf(step)))
    return askOwner(state, { ask: outcome.ask, at });
  if (!outcome.pass) {
    return state.model === null
      ? held(outcome.error)
      : tellModel(state, { at, entries: [], error: `${NOT_RUN}${outcome.error}` });
  }
  // INVARIANT: what the owner is to be asked about never begins because somebody forgot to ask. [APPR-23]
  if (riskOf(state, callOf(step)) !== null) return held("it needs an approval of its own");
  if (outcome.toolArgs === null) return beginStep(state, { at, entries: [], call: callOf(step) });
  const rewritten = readStep({ run: null, tool: callOf(step).tool, args: outcome.toolArgs });
  return rewritten.ok
    ? beginStep(state, { at, entries: [], call: rewritten.value })
    : held("a gate made arguments of it that cannot be run");
}

/** Only the result of the step that runs counts: one that answers anything else changes nothing. [EXEC-04] */
export function stepped(before: RunState, { result, at, held }: Of<"step_ended">): Advance {
  const open = before.pass.at(-1);
  if (open === undefined || !answers(result, open)) return { state: before, effects: [] };
  const entry = endedEntry(open, { result, at });
  const { budgetUsed } = before.run;
  const tokens = budgetUsed.tokens + result.tokensUsed;
  const costUsd = budgetUsed.costUsd + result.costUsd;
  const state = { ...before, run: { ...before.run, budgetUsed: { ...budgetUsed, tokens, costUsd } } };
  if (held === "blocked" && entry.success !== true && !state.isCancelled) {
    const error = `Step ${entry.stepName} was not run: ${entry.error}`;
    return finish(withEnded(state, entry), { at, status: "blocked", error, entries: [entry] });
  }
  const isAsking = entry.success === true && !state.isCancelled && mayAsk(state, "after_step");
  if (!isAsking) return afterStep(state, { at, entry });
  const moment: GateMoment = { trigger: "after_step", stepIndex: open.stepIndex, output: shownOf(result) };
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
  // A model is told what failed, and may do better within its attempt.
  if (entry.success !== true && state.model === null) return retry(ended, { at, entries, error: failureWords(entry) });
  return nextStep(ended, { at, entries });
}

const failureWords = ({ stepName, error }: LedgerEntry): string => `Step ${stepName} failed: ${error}`;

/** Everything was done; whether it is done is for others to say. */
function conclude(state: RunState, { at, entries }: Beginning): Advance {
  if (state.plan.verify.length > 0) return runChecks(state, entries);
  const last = state.pass.at(-1);
  // WORK-31: what ends with a failure is not done, whatever a model says.
  if (last !== undefined && last.success !== true) return retry(state, { at, entries, error: failureWords(last) });
  // INV-03: nothing outside has looked at it, and every surface says so.
  return finish(state, { at, status: "done", error: null, entries });
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
    const proven = { ...state, run: { ...state.run, isVerified: proves(verify) } };
    return finish(proven, { at, status: "done", error: null });
  }
  const error = isComplete
    ? failed.map(({ name, reason }) => `Check ${name} failed: ${reason}`).join("; ")
    : CHECKS_INCOMPLETE;
  // What the steps did outside cannot be told from here, and must not be done twice.
  if (state.next === "recheck") return finish(state, { at, status: "in_doubt", error });
  return retryOrConsult(state, { at, error, failed: isComplete ? "check" : "other" });
}

/** Whether there is a gate to ask. One whose trigger nobody knows counts, so that it is asked, and blocks. */
const mayAsk = ({ gates }: RunState, trigger: GateMoment["trigger"]): boolean =>
  gates.some(({ on }) => !OTHER_MOMENTS[trigger].has(on));

const OTHER_MOMENTS: { readonly [T in GateMoment["trigger"]]: ReadonlySet<string> } = {
  on_tool_call: new Set(["every_user_message", "every_agent_response", "after_step"]),
  after_step: new Set(["every_user_message", "every_agent_response", "on_tool_call"]),
};

const CHECKS_INCOMPLETE = "Not every check was run";
