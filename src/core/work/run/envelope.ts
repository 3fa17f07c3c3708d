import { assert } from "#base";
import { executionEnvelopeSchema, type ExecutionEnvelope, type LedgerEntry, type RunRecord, type Step } from "#model";
import type { SandboxCall, ToolCall } from "#tools";
import { readStep, sandboxCallOf } from "../steps/tool-call.ts";
import type { RunPlan } from "./facts.ts";

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
export function sealEnvelope({ plan, run, step, entry, pass, call, timeoutSeconds }: Sealing): ExecutionEnvelope {
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
