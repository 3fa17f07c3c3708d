/**
 * policy: the rules of trust: of approvals, of gates, of messages and of the audit chain.
 *
 * Decides what an audit entry may say, what its bytes are, how it is linked to the one before, and what is wrong with a
 * chain that was touched; how much risk an act has, what its card says, what becomes an approval, what an approval
 * allows and what a receipt proves. May import `#model` and `#base` only; signatures, times, random nonces, uses and
 * hashing with the machine's own speed arrive as values.
 * Invariants: every field of an entry is covered by its hash, and every entry by the next (AUD-01, AUD-02); an event says
 * nothing its schema does not name (AUD-08); judging an entry needs nothing but the head before it (AUD-05);
 * every field of a token but the signature is signed (APPR-04), and nothing but `approved` authorises (APPR-11).
 * Whatever a gate's provider answers is material: what is absent, malformed or failing blocks (GATE-24), and nothing of a
 * context changes but message, reply and arguments (GATE-14). Nothing is trusted more than what it was made of (TAINT-06),
 * and words are the owner's by signature alone (MSG-04).
 */
export { judgeAnswer, mintTokens } from "./approval-token.ts";
export {
  judgeCheck,
  judgeIssued,
  judgeVerify,
  type Presented,
  type SignatureFact,
  type SpawnFact,
} from "./approval-verify.ts";
export { auditFileStart, endAuditFile, readAuditLine } from "./audit-file.ts";
export { type CheckSignature } from "./audit-head.ts";
export { cardForPayload } from "./card-payload.ts";
export { cardForPlan } from "./card-plan.ts";
export { fatigueOf, isDense } from "./fatigue.ts";
export { frictionOfPage, type StrongAuth } from "./risk.ts";
export { isProven, readReceipt, renderReceipt, verifyReceipt, type ReceiptCheck } from "./receipt.ts";
export {
  allowedAccess,
  hasOwnerAccess,
  ladderOf,
  NEW_ACCESS,
  openingGates,
  passGate,
  withCustomer,
} from "./access/access.ts";
export { evidenceWindow, stepChanges, type CalibrationSettings } from "./autonomy/calibrate.ts";
export { askedProposal, claimsEvidence, limitProposal } from "./autonomy/limit-proposal.ts";
export { beyondLimits } from "./autonomy/standing-limits.ts";
export { judgeAdvice } from "./gates/advice.ts";
export type { GateFact, ProviderAnswer } from "./gates/answer.ts";
export { judgeFile, pathToCheck, type FileFact } from "./gates/file-valid.ts";
export { beginFiring, closeFiring, nextGate, takeFact, withoutRecord } from "./gates/firing.ts";
export { judgeValidation, textToGuard, unknownValidator } from "./gates/guardrail.ts";
export { laneOf, outputWindow } from "./gates/lanes.ts";
export { mayRewriteMessages, printedRewrite, printedValues } from "./gates/rewrite.ts";
export { judgePredicate, type MatchPattern } from "./gates/predicate.ts";

export { judgeGates, judgePlanGates, type GateRegistry } from "./gates/problems.ts";
export { judgeScan, scrubText, deriveTaint, endorse, taintWithSources } from "./taint/taint.ts";
export { foldForForms } from "./gates/validators/folded.ts";
export { SHIPPED_VALIDATORS } from "./gates/validators/shipped.ts";
export type { Validate, ValidatorKind } from "./gates/validators/validator.ts";
export { decideChange, decideMemory, mayTouch, promotionOf, taintOfEntry } from "./memory/decide-memory.ts";
export { chooseRecalled, recallText } from "./memory/recall.ts";
export { earliestSpending, pruneBefore, type NonceWindow } from "./messages/nonce-life.ts";
export { judgeOrigin, type ClaimFact, type Judged, suggestedWords, suggestionSources } from "./messages/origin.ts";
export {
  configuresConversation,
  conversationGates,
  decideStream,
  streamOfGoal,
  tellStream,
  type StreamCandidate,
} from "./messages/stream.ts";
export { CONNECTION_GATE, judgeConnectionUse, type UseVerdict } from "./connection/permission-gate.ts";
export { withTerms } from "./shown.ts";
export { createAuditRules } from "./rules.ts";
export { AUDIT_GENESIS } from "./chain.ts";
