import { assert, err, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import {
  standingConditionsOf,
  tokenIdOf,
  type ApprovalDecision,
  type DecisionRefusal,
  type Grant,
  type PendingDecision,
  type UnsignedToken,
  answerFault,
} from "#model";
import { orderedFriction, type StrongAuth, judgeFriction } from "./risk.ts";
import { readShown, type Shown } from "./shown.ts";

export type Mint = {
  readonly decision: ApprovalDecision;
  readonly pending: PendingDecision;
  readonly at: Instant;
  /** 32 random bytes as lower-case hex, one for each token. */
  readonly nonces: readonly string[];
  readonly ttlMs: number;
  readonly maxExecutions: number;
  /** The most uses a standing approval may ask for. */
  readonly standingUsesMax: number;
  readonly strongAuth: StrongAuth;
};

/**
 * The tokens an approval becomes, for a signer to sign; or why the answer makes none. The engine never signs. What was
 * shown, what is stored and what is approved must be one hash, and the request says by itself how many tokens there
 * are and for what. [APPR-06] [APPR-07] [APPR-08]
 */
export function mintTokens(mint: Mint): Result<readonly UnsignedToken[], DecisionRefusal> {
  const { decision, nonces } = mint;
  const judged = judgeShown(mint);
  if (!judged.ok) return judged;
  if (decision.verdict !== "approved") return err({ code: "decision_not_approved", verdict: decision.verdict });
  const grants = judged.value.grants();
  if (grants === null) return err({ code: "decision_changed" });
  assert(new Set(nonces).size === grants.length, "APPR-06 each token has a nonce of its own");
  const tokens: UnsignedToken[] = [];
  for (const [index, grant] of grants.entries()) {
    const token = mintOne(mint, { grant, nonce: nonces[index] ?? "" });
    if (!token.ok) return token;
    tokens.push(token.value);
  }
  return ok(tokens);
}

type Granted = { readonly grant: Grant; readonly nonce: string };

function mintOne(mint: Mint, { grant, nonce }: Granted): Result<UnsignedToken, DecisionRefusal> {
  const { decision, at } = mint;
  const lifetime = grant.scope === "standing" ? standingLifetime(mint, grant) : plainLifetime(mint, grant);
  if (!lifetime.ok) return lifetime;
  return ok({
    tokenId: tokenIdOf(nonce),
    planHash: grant.planHash,
    workItemId: grant.workItemId,
    scope: grant.scope,
    verdict: decision.verdict,
    keyId: decision.keyId,
    issuedAt: at,
    nonce,
    approvalStrength: "tap",
    // How it was approved is signed with it, so that a receipt shows it.
    conditions: { ...decision.conditions, ...grant.conditions, friction: [...orderedFriction(decision.friction)] },
    ...lifetime.value,
  });
}

type Lifetime = Pick<UnsignedToken, "expiresAt" | "maxExecutions">;

function plainLifetime({ at, ttlMs, maxExecutions }: Mint, { usesMax, laterMs }: Grant): Result<Lifetime, never> {
  const expiresAt = instantFromMs(msOfInstant(at) + ttlMs + laterMs);
  assert(expiresAt.ok, "APPR-07 an approval ends within the calendar");
  return ok({ expiresAt: expiresAt.value, maxExecutions: usesMax ?? maxExecutions });
}

/** A standing approval lives as long as the card said, which is under the signature. [APPR-09] */
function standingLifetime({ at, standingUsesMax }: Mint, { conditions }: Grant): Result<Lifetime, DecisionRefusal> {
  const terms = standingConditionsOf(conditions);
  if (terms === null) return err({ code: "standing_conditions_missing" });
  const { expires_at: expiresAt, max_executions: maxExecutions } = terms;
  if (maxExecutions > standingUsesMax) return err({ code: "standing_uses_exceeded", usesMax: standingUsesMax });
  if (expiresAt <= at) return err({ code: "standing_over", expiresAt });
  return ok({ expiresAt, maxExecutions });
}

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
  const judged = judgeShown(answer);
  return judged.ok ? ok() : judged;
}

/** The same with what was read of the request, so that one judgement reads it once. */
function judgeShown(answer: Answer): Result<Shown, DecisionRefusal> {
  const { pending, decision, at, strongAuth, maxExecutions } = answer;
  if (pending.state !== "pending") return err({ code: "decision_settled", state: pending.state });
  // Time that is up is nobody's decision; the request goes to the missed ones instead.
  if (pending.expiresAt !== null && pending.expiresAt <= at) return err({ code: "decision_expired" });
  const shown = readShown(pending.kind, pending.projection);
  if (shown === null || !isWhole(pending, { shown, usesMax: maxExecutions })) return err({ code: "decision_changed" });
  if (decision.shownHash !== pending.planHash) return err({ code: "decision_shown_differs" });
  if (decision.verdict !== "approved") return ok(shown);
  const fault = answerFault({ payload: shown.payload, answer: decision.conditions["answer"] });
  if (fault !== null) return err({ code: "answer_refused", reason: fault });
  const careful = judgeFriction({ performed: decision.friction, risk: pending.riskLevel, strongAuth });
  return careful.ok ? ok(shown) : careful;
}

type Whole = { readonly shown: Shown; readonly usesMax: number };

/**
 * Everything a stored request says follows from the projection: the item, the risk, and the whole card that was shown,
 * its first line as well as its last row. What disagrees was changed. [T7]
 */
function isWhole(pending: PendingDecision, { shown, usesMax }: Whole): boolean {
  const { planHash, workItemId, riskLevel, card } = pending;
  if (shown.itemId !== workItemId || shown.risk !== riskLevel) return false;
  // It names the hash of the text it was made of.
  const anew = shown.cardAnew({ notes: card.details.notes, usesMax });
  return anew.planHash === planHash && isEqual(card, anew);
}

/** Whether two cards have the same fields with the same values. Writing both as canonical text would take longer. */
function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && isEqualList(a, b);
  const [one, other] = [a as Fields, b as Fields];
  const keys = Object.keys(one);
  const isWide = keys.length === Object.keys(other).length;
  return isWide && keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]));
}
const isEqualList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
type Fields = { readonly [key: string]: unknown };
