import { assert, err, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import {
  standingConditionsOf,
  tokenIdOf,
  type ApprovalDecision,
  type ApprovalScope,
  type DecisionRefusal,
  type PendingDecision,
  type UnsignedToken,
} from "#model";
import { judgeAnswer } from "./approval-pending.ts";
import type { StrongAuth } from "./friction.ts";

export type Mint = {
  readonly decision: ApprovalDecision;
  readonly pending: PendingDecision;
  readonly scope: ApprovalScope;
  readonly at: Instant;
  /** 32 random bytes as lower-case hex. */
  readonly nonce: string;
  readonly ttlMs: number;
  readonly maxExecutions: number;
  /** The most uses a standing approval may ask for. */
  readonly standingUsesMax: number;
  readonly strongAuth: StrongAuth;
};

/**
 * The token an approval becomes, for a signer to sign; or why the answer makes none. The engine never signs. What was
 * shown, what is stored and what is approved must be one hash. [APPR-06] [APPR-07] [APPR-08]
 */
export function mintToken(mint: Mint): Result<UnsignedToken, DecisionRefusal> {
  const { decision, pending, at, nonce, scope } = mint;
  const judged = judgeAnswer(mint);
  if (!judged.ok) return judged;
  if (decision.verdict !== "approved") return err({ code: "decision_not_approved", verdict: decision.verdict });
  const lifetime = scope === "standing" ? standingLifetime(mint) : plainLifetime(mint);
  if (!lifetime.ok) return lifetime;
  return ok({
    tokenId: tokenIdOf(nonce),
    planHash: pending.planHash,
    workItemId: pending.workItemId,
    scope,
    verdict: decision.verdict,
    keyId: decision.keyId,
    issuedAt: at,
    nonce,
    approvalStrength: "tap",
    conditions: decision.conditions,
    ...lifetime.value,
  });
}

type Lifetime = Pick<UnsignedToken, "expiresAt" | "maxExecutions">;

function plainLifetime({ at, ttlMs, maxExecutions }: Mint): Result<Lifetime, never> {
  const expiresAt = instantFromMs(msOfInstant(at) + ttlMs);
  assert(expiresAt.ok, "APPR-07 an approval ends within the calendar");
  return ok({ expiresAt: expiresAt.value, maxExecutions });
}

/** A standing approval lives as long as the card said, which is under the signature. [APPR-09] */
function standingLifetime({ decision, standingUsesMax }: Mint): Result<Lifetime, DecisionRefusal> {
  const conditions = standingConditionsOf(decision.conditions);
  if (conditions === null) return err({ code: "standing_conditions_missing" });
  const { expires_at: expiresAt, max_executions: maxExecutions } = conditions;
  if (maxExecutions > standingUsesMax) return err({ code: "standing_uses_exceeded", usesMax: standingUsesMax });
  return ok({ expiresAt, maxExecutions });
}
