import { LIMITS, oneLine, sha256Hex } from "#base";
import { payloadProjection, type KeptRequest, type Payload } from "#model";
import { CONNECTION_GATE, type UseVerdict } from "#policy";
import type { Clock, Randomness } from "#ports";
import {
  connectionUse,
  readStep,
  type ConnectionUse,
  type GateMoment,
  type GatesHeld,
  type GatesPassed,
  type RunState,
} from "#work";
import { payloadRequest } from "../../approvals/propose.ts";
import type { ConnectionUses, JudgedUse } from "../../connections/uses.ts";
import type { LoadedPlan } from "../load-plan.ts";
import type { Held } from "../perform-gates.ts";
import { askerOf, lineOf, operationFor, placeOf } from "./prepare-question.ts";

type Deps = {
  readonly connections: Pick<ConnectionUses, "judge" | "isLent">;
  readonly clock: Clock;
  readonly randomness: Randomness;
};
type Gated = {
  readonly loaded: LoadedPlan;
  readonly state: RunState;
  readonly moment: GateMoment;
  /** What the other gates say of it. */
  readonly outcome: GatesPassed | Held;
};
type Answered = { readonly outcome: GatesHeld; readonly request: KeptRequest | null };

/**
 * The gate `connection_permission`, after all others: what they hold stays held, and what they leave of the arguments is
 * what is judged here. Null when the connection allows the call, or the call uses none. [PERM-02]
 */
export async function prepareEscalation(deps: Deps, gated: Gated): Promise<Answered | null> {
  const { moment, outcome } = gated;
  if (moment.trigger !== "on_tool_call" || (!outcome.pass && outcome.asks === undefined)) return null;
  const toolArgs = (outcome.pass ? outcome.toolArgs : outcome.asks?.toolArgs) ?? moment.toolArgs;
  const call = readStep({ run: null, tool: moment.tool, args: toolArgs });
  const use = call.ok ? connectionUse(call.value) : null;
  if (use === null) return null;
  const judged = await deps.connections.judge(use);
  if (!judged.ok) return held(`the connection could not be looked up (${judged.error.code})`);
  const { verdict, known } = judged.value;
  if (verdict.kind === "allowed") return null;
  if (verdict.kind === "blocked" || known === null)
    return held(verdict.kind === "blocked" ? verdict.reason : "nothing is known of it");
  return question(deps, { ...gated, moment, toolArgs, use, verdict, known });
}

const held = (reason: string): Answered => ({
  outcome: { pass: false, error: oneLine(`Gate ${CONNECTION_GATE}: ${reason}`).slice(0, LIMITS.titleChars) },
  request: null,
});

type Asking = Pick<Gated, "loaded" | "state" | "outcome"> & {
  readonly moment: Extract<GateMoment, { readonly trigger: "on_tool_call" }>;
  readonly toolArgs: Extract<GateMoment, { readonly trigger: "on_tool_call" }>["toolArgs"];
  readonly use: ConnectionUse;
  readonly verdict: Extract<UseVerdict, { readonly kind: "missing" }>;
  readonly known: NonNullable<JudgedUse["known"]>;
};

/** Asked once; what was approved and interrupted before it began is the same question, if not one value of it differs. */
function question(deps: Deps, asking: Asking): Answered {
  const { state, moment, toolArgs, verdict } = asking;
  const { stepIndex } = moment;
  const gate = lineOf(`${CONNECTION_GATE} (${verdict.permissions.join(", ")})`, LIMITS.nameChars * 2);
  const outcome = { pass: false, error: `Gate ${gate} asks for a decision` } as const;
  const before = state.run.question;
  if (before !== undefined && before.stepIndex === stepIndex) {
    const same = sha256Hex(payloadProjection(payloadOf(asking, before.operationId)));
    // What was approved and is not there is not tried: what was lent for this once went with the Silas that held it.
    if (same === before.contentHash && !deps.connections.isLent({ runId: state.run.runId, stepIndex }))
      return held(`you approved ${verdict.permissions.join(", ")}, and what was given for it is gone`);
    if (same === before.contentHash)
      return { outcome: { ...outcome, ask: { question: before, toolArgs } }, request: null };
  }
  const operationId = operationFor(deps, state);
  const asked = payloadRequest(deps, {
    payload: payloadOf(asking, operationId),
    actor: { kind: "system" },
    againOf: null,
  });
  if (!asked.ok) return held("what it asks has no card");
  const { requestId, planHash: contentHash } = asked.value;
  const ask = { question: { requestId, operationId, stepIndex, gate, contentHash }, toolArgs };
  return { outcome: { ...outcome, ask }, request: asked.value };
}

type Escalation = Extract<Payload, { readonly kind: "permission_escalation" }>;

function payloadOf(asking: Asking, operationId: string): Escalation {
  const { loaded, state, moment, toolArgs, outcome, use, verdict, known } = asking;
  const { record, treeDigest } = known.of;
  const place = placeOf({ loaded, state, stepIndex: moment.stepIndex });
  const missing = verdict.permissions.join(", ");
  const reason = lineOf(
    `Step ${place.step} of "${loaded.item.title}", ${place.step_name}, runs ${use.file}, which uses ${missing}`,
    LIMITS.titleChars,
  );
  const others = outcome.pass ? [] : (outcome.asks?.by ?? []);
  return {
    kind: "permission_escalation",
    operation_id: operationId,
    ...place,
    tool: lineOf(moment.tool, LIMITS.nameChars),
    args: { ...toolArgs } as Escalation["args"],
    asked_by: [{ gate: CONNECTION_GATE, value: null, reason }, ...others.slice(0, LIMITS.planParts - 1).map(askerOf)],
    connection_id: record.connectionId,
    connection_name: lineOf(record.name, LIMITS.nameChars),
    skill: record.skillName,
    tree_digest: treeDigest as Escalation["tree_digest"],
    current_permissions: [...record.permissionsGranted],
    requested_permissions: [...verdict.permissions],
    reason,
    may_be_once: known.manifest.oneTimePermissions,
  };
}
