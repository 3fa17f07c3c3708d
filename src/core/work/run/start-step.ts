import { assert } from "#base";
import {
  type Step,
  type StepDecision,
  type StepReply,
  executionEnvelopeSchema,
  type ExecutionEnvelope,
  type LedgerEntry,
  type RunRecord,
} from "#model";
import { type ToolCall, isAskingCall, toolOf, type AskingCall, type SandboxCall } from "#tools";
import { remainingMs, startedEntry, failedEntry } from "./ledger.ts";
import type { Advance, RunEffect, RunState, RunPlan } from "./facts.ts";
import { record, type Beginning } from "./writes.ts";
import { retry } from "./begin-attempt.ts";
import { readStep, sandboxCallOf } from "../steps/tool-call.ts";

type Starting = Beginning & {
  readonly call: ToolCall;
  /** The approval of its own that it begins on. */
  readonly decision?: StepDecision;
};

/** Kept as started, then run. [BUD-03] [EXEC-12] */
export function startStep(state: RunState, { at, entries, call, decision }: Starting): Advance {
  const { run, plan } = state;
  const step = stepAt(state, state.pass.length);
  const entry = { ...startedEntry(state, { step, at }), ...(decision === undefined ? {} : { decision }) };
  const budgetUsed = { ...run.budgetUsed, executorRuns: run.budgetUsed.executorRuns + 1 };
  const started: RunState = {
    ...state,
    phase: "stepping",
    next: "attempt",
    run: { ...run, status: "running", budgetUsed },
    pass: [...state.pass, entry],
    executions: state.executions + 1,
  };
  const timeoutSeconds = Math.min(step.timeout, remainingMs(budgetUsed, plan.budget) / 1000);
  const effect: RunEffect = {
    kind: "run_step",
    executionId: entry.executionId,
    stepIndex: entry.stepIndex,
    envelope: sealEnvelope({ plan, run, step, entry, pass: state.pass, call, timeoutSeconds }),
    artifacts: step.artifacts,
  };
  return { state: started, effects: [record(started, { entries: [...entries, entry], unbegun: run }), effect] };
}

export function stepAt({ plan }: RunState, index: number): Step {
  const step = plan.steps[index];
  assert(step !== undefined, "EXEC-12 a step of the ledger is a step of the plan");
  return step;
}

/**
 * Begins the step, or has made ready what it asks: nothing of it is kept before there is an answer. No program runs for a
 * step that asks the owner but the one that lays the answer in its file.
 */
export function beginStep(state: RunState, { at, entries, call }: Omit<Starting, "decision">): Advance {
  if (!isAskingCall(call)) return startStep(state, { at, entries, call });
  const kept: readonly RunEffect[] = entries.length > 0 ? [record(state, { entries })] : [];
  const asked: RunEffect = { kind: "prepare_question", stepIndex: state.pass.length, call };
  return { state: { ...state, phase: "asking", asked: call }, effects: [...kept, asked] };
}

type Replying = {
  readonly at: Beginning["at"];
  readonly call: AskingCall;
  readonly decision: StepDecision;
  readonly reply: StepReply;
};

/** The answer is text in a file, whatever it says; a draft that is wanted anew begins the next attempt. [CARD-16] */
export function goOnWith(state: RunState, { at, call, decision, reply }: Replying): Advance {
  if (reply.kind === "text") {
    const [answered] = toolOf(call).touches(call.args).places;
    assert(answered !== undefined, "CARD-16 an answer has a file");
    const args = { path: answered.path, content: reply.text };
    return startStep(state, { at, entries: [], call: { tool: "file_write", args }, decision });
  }
  const step = stepAt(state, state.pass.length);
  const started = { ...startedEntry(state, { step, at }), decision };
  const error = `You asked for another draft: ${reply.note}`;
  const ended = failedEntry(started, { error, at });
  const tried: RunState = { ...state, pass: [...state.pass, ended], executions: state.executions + 1 };
  return retry(tried, { at, entries: [started, ended], error });
}

type Sealing = {
  readonly plan: RunPlan;
  readonly run: RunRecord;
  readonly step: Step;
  readonly entry: Pick<LedgerEntry, "executionId" | "stepIndex">;
  /** Of the steps before it in this attempt. */
  readonly pass: readonly LedgerEntry[];
  /** As gates left it. */
  readonly call: ToolCall;
  readonly timeoutSeconds: number;
};

/** Seals what one step is given. It is made of the approved plan and of what Silas itself saw, and of nothing else. */
function sealEnvelope({ plan, run, step, entry, pass, call, timeoutSeconds }: Sealing): ExecutionEnvelope {
  const body = {
    execution_id: entry.executionId,
    step_index: entry.stepIndex,
    task_description: plan.body,
    action: call.tool,
    args: call.args,
    input_artifacts: placesOf(plan, pass),
    credential_refs: Object.fromEntries(Object.entries(step.credentials).map(([name, { ref }]) => [name, ref])),
    timeout_seconds: timeoutSeconds,
    sandbox_config: { network_access: step.network, env: attemptEnv(run) },
  };
  const sealed = executionEnvelopeSchema.safeParse(body);
  assert(sealed.success, "EXEC-01 what a step is given fits its envelope");
  return sealed.data;
}

/** Where artifacts of the steps before lie; a later one of the same name takes the place of an earlier one. */
const placesOf = ({ steps }: RunPlan, pass: readonly LedgerEntry[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pass.flatMap(({ stepIndex, success }) =>
      success === true ? Object.entries(steps[stepIndex]?.artifacts ?? {}) : [],
    ),
  );

/** Which attempt it is, and why the one before failed, so that a program can do better. From outside like its output. */
const attemptEnv = ({ attempts, lastError }: RunRecord): Record<string, string> => ({
  SILAS_ATTEMPT: String(attempts),
  SILAS_LAST_FAILURE: (lastError ?? "").replaceAll("\0", ""),
});

/** What an envelope asks a sandbox to run. */
export function callIn({ action, args }: Pick<ExecutionEnvelope, "action" | "args">): SandboxCall {
  const call = readStep({ run: null, tool: action, args });
  assert(call.ok, "EXEC-01 an envelope holds a call");
  return sandboxCallOf(call.value);
}
