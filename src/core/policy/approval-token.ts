import { assert, err, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import {
  grantsOf,
  standingConditionsOf,
  tokenIdOf,
  type ApprovalDecision,
  type DecisionRefusal,
  type Grant,
  type PendingDecision,
  type UnsignedToken,
} from "#model";
import { judgeAnswer } from "./approval-pending.ts";
import { orderedFriction, type StrongAuth } from "./friction.ts";

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
  const { decision, pending, nonces } = mint;
  const judged = judgeAnswer(mint);
  if (!judged.ok) return judged;
  if (decision.verdict !== "approved") return err({ code: "decision_not_approved", verdict: decision.verdict });
  const grants = grantsOf(pending);
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
