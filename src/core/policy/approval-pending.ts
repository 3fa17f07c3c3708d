import { canonicalJson, err, ok, sha256Hex, type Instant, type Result } from "#base";
import {
  answerFault,
  isPayloadKind,
  readPayload,
  type ApprovalDecision,
  type DecisionRefusal,
  type PendingDecision,
  type ShownPayload,
} from "#model";
import { judgeFriction, type StrongAuth } from "./friction.ts";
import { cardAnew, readShown } from "./shown.ts";

type Answer = {
  readonly pending: PendingDecision;
  readonly decision: ApprovalDecision;
  readonly at: Instant;
  readonly strongAuth: StrongAuth;
  /** How often an approval of a plan may be used; the card said so. */
  readonly maxExecutions: number;
};

/**
 * Whether an answer may be taken at all: the request is open, is what it was, is what the person saw, and an approval
 * was made with the care its risk demands. A decline needs no care.
 */
export function judgeAnswer(answer: Answer): Result<void, DecisionRefusal> {
  const { pending, decision, at, strongAuth, maxExecutions } = answer;
  if (pending.state !== "pending") return err({ code: "decision_settled", state: pending.state });
  // Time that is up is nobody's decision; the request goes to the missed ones instead.
  if (pending.expiresAt !== null && pending.expiresAt <= at) return err({ code: "decision_expired" });
  if (!isWhole(pending, maxExecutions)) return err({ code: "decision_changed" });
  if (decision.shownHash !== pending.planHash) return err({ code: "decision_shown_differs" });
  if (decision.verdict !== "approved") return ok();
  const fault = answerFault({ payload: payloadOf(pending), answer: decision.conditions["answer"] });
  if (fault !== null) return err({ code: "answer_refused", reason: fault });
  return judgeFriction({ performed: decision.friction, risk: pending.riskLevel, strongAuth });
}

/** Null for a plan. */
function payloadOf({ kind, projection }: PendingDecision): ShownPayload | null {
  const read = isPayloadKind(kind) ? readPayload(kind, projection) : null;
  return read !== null && read.ok ? read.value.payload : null;
}

/**
 * Everything a stored request says follows from the projection: the item, the risk, and the whole card that was shown,
 * its first line as well as its last row. What disagrees was changed. [T7]
 */
function isWhole(pending: PendingDecision, usesMax: number): boolean {
  const { kind, projection, planHash, workItemId, riskLevel, card } = pending;
  const read = readShown(kind, projection);
  if (read === null || sha256Hex(projection) !== planHash) return false;
  if (read.itemId !== workItemId || read.risk !== riskLevel) return false;
  return isEqual(card, cardAnew({ kind, projection, card, usesMax }));
}

function isEqual(a: unknown, b: unknown): boolean {
  const [one, other] = [canonicalJson(a), canonicalJson(b)];
  return one.ok && other.ok && one.value === other.value;
}
