import { err, ok, sha256Hex, type Instant, type Result } from "#base";
import { readProjection, type ApprovalDecision, type DecisionRefusal, type PendingDecision } from "#model";
import { riskOfPlan } from "./card-plan.ts";
import { judgeFriction, type StrongAuth } from "./friction.ts";

export type Answer = {
  readonly pending: PendingDecision;
  readonly decision: ApprovalDecision;
  readonly at: Instant;
  readonly strongAuth: StrongAuth;
};

/**
 * Whether an answer may be taken at all: the request is open, is what it was, is what the person saw, and an approval
 * was made with the care its risk demands. A decline needs no care.
 */
export function judgeAnswer({ pending, decision, at, strongAuth }: Answer): Result<void, DecisionRefusal> {
  if (pending.state !== "pending") return err({ code: "decision_settled", state: pending.state });
  // Time that is up is nobody's decision; the request goes to the missed ones instead.
  if (pending.expiresAt !== null && pending.expiresAt <= at) return err({ code: "decision_expired" });
  if (!isWhole(pending)) return err({ code: "decision_changed" });
  if (decision.shownHash !== pending.planHash) return err({ code: "decision_shown_differs" });
  if (decision.verdict !== "approved") return ok();
  return judgeFriction({ performed: decision.friction, risk: pending.riskLevel, strongAuth });
}

/** Everything a stored request says about its plan follows from the projection; a row that disagrees was changed. */
function isWhole({ projection, planHash, workItemId, riskLevel, card }: PendingDecision): boolean {
  const read = readProjection(projection);
  if (!read.ok || sha256Hex(projection) !== planHash || card.planHash !== planHash) return false;
  const risk = riskOfPlan(read.value.plan);
  return read.value.plan.id === workItemId && risk === riskLevel && risk === card.riskLevel;
}
