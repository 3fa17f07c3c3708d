import { assert, err, ok, type Instant, type Result, type Sha256Hex } from "#base";
import type { ApprovalCheck, ApprovalRefusal, ApprovalToken, ApprovalUse } from "#model";

/** What the shell found out about the signature with the owner's registered keys. */
export type SignatureFact = "valid" | "invalid" | "key_unknown" | "key_revoked";

export type Presented = {
  readonly token: ApprovalToken;
  readonly signature: SignatureFact;
  /** The very item that is to run, and the hash of its projection as it is now. */
  readonly item: { readonly workItemId: string; readonly contentHash: Sha256Hex };
  readonly at: Instant;
  /** Every recorded use under the token's nonce. */
  readonly uses: readonly ApprovalUse[];
  /** The chain of attempts that asks. */
  readonly lineage: string;
};

/**
 * Whether a token authorises this item now, and the one use to record for it. The row and the start of the attempt are
 * committed together, unique by nonce and number: of many at once only as many succeed as were signed.
 * [APPR-11] [APPR-16] [APPR-17]
 */
export function judgeVerify(presented: Presented): Result<ApprovalUse, ApprovalRefusal> {
  const { token, item, at, uses, lineage } = presented;
  const held = judgeStanding(presented);
  if (!held.ok) return held;
  const spent = usesSpent(presented);
  if (spent >= token.maxExecutions) return refuse("execution_count", "approval_spent");
  // A lineage that was granted once goes on with `judgeCheck`; a second grant would be a replay.
  if (uses.some(({ attemptLineage }) => attemptLineage === lineage))
    return refuse("use_freshness", "approval_use_taken");
  return ok({
    nonce: token.nonce,
    useNumber: spent + 1,
    contentHash: item.contentHash,
    attemptLineage: lineage,
    at,
  });
}

/**
 * Whether an attempt that was granted may go on. INVARIANT: spends nothing, however often it is asked, and passes only
 * for the lineage that `judgeVerify` granted. [APPR-20] [APPR-21]
 */
export function judgeCheck(presented: Presented): Result<void, ApprovalRefusal> {
  const { token, item, uses, lineage } = presented;
  const held = judgeStanding(presented);
  if (!held.ok) return held;
  const spent = usesSpent(presented);
  if (spent === 0) return refuse("execution_count", "approval_not_granted");
  if (spent > token.maxExecutions) return refuse("execution_count", "approval_spent");
  const granted = uses.some((use) => use.attemptLineage === lineage && use.contentHash === item.contentHash);
  return granted ? ok() : refuse("use_freshness", "approval_lineage_differs");
}

const SIGNATURE_CODES = {
  invalid: "approval_signature_invalid",
  key_unknown: "approval_key_unknown",
  key_revoked: "approval_key_revoked",
} as const;

/** What must hold before uses are counted. */
function judgeStanding({ token, signature, item, at }: Presented): Result<void, ApprovalRefusal> {
  if (signature !== "valid") return refuse("signature", SIGNATURE_CODES[signature] ?? "approval_signature_invalid");
  // A standing approval speaks of tasks its goal makes; there is no such task here. [APPR-14]
  if (token.scope === "standing") return refuse("binding", "approval_spawn_missing");
  if (token.workItemId !== item.workItemId) return refuse("binding", "approval_item_differs");
  if (token.planHash !== item.contentHash) return refuse("binding", "approval_hash_differs");
  if (token.verdict !== "approved") return refuse("verdict", "approval_not_approved");
  // A clock that was set back must not bring a token to life before it was made.
  if (at < token.issuedAt) return refuse("expiry", "approval_not_yet_valid");
  if (token.expiresAt <= at) return refuse("expiry", "approval_expired");
  return ok();
}

/** The highest number counts too: a row that vanished from the middle does not give a use back. */
function usesSpent({ token, uses }: Presented): number {
  assert(
    uses.every(({ nonce }) => nonce === token.nonce),
    "INV-02 uses are counted under the token's own nonce",
  );
  return uses.reduce((most, { useNumber }) => Math.max(most, useNumber), uses.length);
}

const refuse = (check: ApprovalCheck, code: ApprovalRefusal["code"]) => err({ code, check } as const);
