import { canonicalJson, err, ok, sha256Hex, type Instant, type Result } from "#base";
import type { ApprovalDecision, DecisionRefusal, PendingDecision } from "#model";
import { judgeFriction, type StrongAuth } from "./friction.ts";
import { readShown } from "./shown.ts";

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

/**
 * Everything a stored request says follows from the projection: the item, the risk, and each row that was shown. A row
 * that disagrees was changed.
 */
function isWhole({ kind, projection, planHash, workItemId, riskLevel, card }: PendingDecision): boolean {
  const read = readShown(kind, projection);
  if (read === null || sha256Hex(projection) !== planHash || card.planHash !== planHash) return false;
  const { itemId, risk, rows } = read;
  if (card.cardType !== kind || !isEqual(card.details.rows, rows)) return false;
  return itemId === workItemId && risk === riskLevel && risk === card.riskLevel;
}

function isEqual(a: unknown, b: unknown): boolean {
  const [one, other] = [canonicalJson(a), canonicalJson(b)];
  return one.ok && other.ok && one.value === other.value;
}
