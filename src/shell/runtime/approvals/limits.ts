import { err, ok, type Result } from "#base";
import { isAskingKind, limitFault, parsePayload, type KeptRequest, type Payload, type PayloadRefused } from "#model";
import { claimsEvidence } from "#policy";
import type { DecideRefusal, LimitsChanged } from "#ports";
import type { ApprovalsDeps } from "./propose.ts";

type Limits = Pick<ApprovalsDeps, "settings">;

/** Why a proposal about limits is not asked about; null for one that may be, and for anything else. [AUTO-09] */
export function wrongLimits({ settings }: Limits, payload: Payload): PayloadRefused | null {
  if (payload.kind !== "autonomy_threshold") return null;
  if (settings.limits === undefined) return { code: "payload_refused", reason: "limits_unknown" };
  const fault = limitFault(payload.changes, settings.limits.bounds);
  return fault === null ? null : { code: "payload_refused", reason: `${fault.key}: ${fault.reason}` };
}

/** Decisions are counted by Silas alone, and its runs ask for themselves: what somebody writes may claim neither. */
export function claimedByHand(payload: Payload): PayloadRefused | null {
  const isClaim = payload.kind === "autonomy_threshold" && claimsEvidence(payload);
  if (isClaim) return { code: "payload_refused", reason: "evidence_not_counted" };
  // Nobody would hear the answer.
  return isAskingKind(payload.kind) || payload.kind === "permission_escalation"
    ? { code: "payload_refused", reason: "only_a_run_asks" }
    : null;
}

/** What an approved request changes, judged once more by what the configuration says now. [AUTO-13] */
export function limitsOf(
  { settings }: Limits,
  { kind, markdown }: Pick<KeptRequest, "kind" | "markdown">,
): Result<{ readonly limits?: LimitsChanged }, DecideRefusal> {
  if (kind !== "autonomy_threshold") return ok({});
  const payload = parsePayload(markdown);
  if (settings.limits === undefined || !payload.ok || payload.value.kind !== "autonomy_threshold") {
    return err({ code: "decision_changed" });
  }
  const { changes } = payload.value;
  const fault = limitFault(changes, settings.limits.bounds);
  return fault === null ? ok({ limits: { changes, configured: settings.limits.configured } }) : err(fault);
}
