import { LIMITS, oneLine, sha256Hex } from "#base";
import { payloadProjection, type AuditActor, type GateResult, type KeptRequest, type Payload } from "#model";
import type { Clock, Randomness } from "#ports";
import type { AskedCall, GateMoment, RunState } from "#work";
import { payloadRequest } from "../../approvals/propose.ts";
import type { LoadedPlan } from "../load-plan.ts";
import type { Asks } from "../perform-gates.ts";

type Deps = { readonly clock: Clock; readonly randomness: Randomness };
type Asking = {
  readonly loaded: LoadedPlan;
  readonly state: RunState;
  readonly moment: Extract<GateMoment, { readonly trigger: "on_tool_call" }>;
  readonly asks: Asks;
};
type PreparedQuestion = {
  readonly ask: AskedCall;
  /** What is to be kept if it is asked; null when the same call was approved before and has not begun. */
  readonly request: KeptRequest | null;
};

const SYSTEM: AuditActor = { kind: "system" };

/**
 * The question about one call, ready to be asked. Each has an id of its own, and everything the owner decides by is under
 * its hash. A call that was approved and interrupted before it began is the same call, if not one value of it differs.
 * Null when it has no card: then nobody can be asked.
 */
export function prepareQuestion(deps: Deps, asking: Asking): PreparedQuestion | null {
  const { state, asks, moment } = asking;
  const { toolArgs } = asks;
  const before = state.run.question;
  if (before !== undefined && before.stepIndex === moment.stepIndex) {
    const same = sha256Hex(payloadProjection(payloadOf(asking, before.operationId)));
    if (same === before.contentHash) return { ask: { question: before, toolArgs }, request: null };
  }
  const operationId = operationFor(deps, state);
  const payload = payloadOf(asking, operationId);
  const asked = payloadRequest(deps, { payload, actor: SYSTEM, againOf: null });
  if (!asked.ok) return null;
  const { requestId, planHash: contentHash } = asked.value;
  const gate = payload.asked_by[0]?.gate ?? "gate";
  const question = { requestId, operationId, stepIndex: moment.stepIndex, gate, contentHash };
  return { ask: { question, toolArgs }, request: asked.value };
}

/** Each question has an id of its own. */
export const operationFor = ({ randomness }: Pick<Deps, "randomness">, { run }: RunState): string =>
  `${run.runId}.${Buffer.from(randomness.bytes(8)).toString("hex")}`;

type Question = Extract<Payload, { readonly kind: "step_approval" }>;

function payloadOf({ loaded, state, moment, asks }: Asking, operationId: string): Question {
  const { stepIndex, tool } = moment;
  return {
    kind: "step_approval",
    operation_id: operationId,
    ...placeOf({ loaded, state, stepIndex }),
    tool: lineOf(tool, LIMITS.nameChars),
    args: { ...asks.toolArgs } as Question["args"],
    asked_by: asks.by.slice(0, LIMITS.planParts).map(askerOf),
  };
}

type Asked = { readonly loaded: LoadedPlan; readonly state: RunState; readonly stepIndex: number };

/** Which step of which attempt of which approved plan asks. */
export function placeOf({ loaded, state, stepIndex }: Asked) {
  const { runId, attempts, planHash } = state.run;
  return {
    run_id: runId,
    plan_request_id: loaded.grant.requestId,
    plan_id: loaded.item.id,
    plan_hash: planHash,
    attempt: attempts,
    step: stepIndex + 1,
    step_name: lineOf(state.plan.steps[stepIndex]?.name ?? "", LIMITS.nameChars * 2),
  };
}

export const askerOf = ({ gateName, value, reason }: GateResult): Question["asked_by"][number] => ({
  gate: lineOf(gateName, LIMITS.nameChars),
  value: typeof value === "string" ? value.slice(0, LIMITS.textChars) : value,
  reason: lineOf(reason, LIMITS.titleChars),
});

/** One line that hides nothing, is never empty and ends with a whole character. */
export function lineOf(text: string, charsMax: number): string {
  const line = oneLine(text);
  const short = line.length <= charsMax ? line : [...line].slice(0, charsMax / 2).join("");
  return short.trim() === "" ? "(no words)" : short;
}
