import { assert, err, ok, type Instant, type Result, type Sha256Hex } from "#base";
import {
  standingConditionsOf,
  type ApprovalCheck,
  type ApprovalRefusal,
  type ApprovalScope,
  type ApprovalToken,
  type ApprovalUse,
} from "#model";

/** What the shell found out about the signature with the owner's registered keys. */
export type SignatureFact = "valid" | "invalid" | "key_unknown" | "key_revoked";

export type Presented = {
  readonly token: ApprovalToken;
  readonly signature: SignatureFact;
  /** The very item that is to run, or the goal that begins a task, and the hash of its projection as it is now. */
  readonly item: { readonly workItemId: string; readonly contentHash: Sha256Hex };
  /** What an approval must speak of to be one for this. */
  readonly scope: ApprovalScope;
  /** The task a goal made; null for whatever runs by itself. */
  readonly spawn: SpawnFact | null;
  readonly at: Instant;
  /** The end of the latest decision that the owner signed for this very run: until then the run may go on. */
  readonly heldUntil?: Instant | null;
  /** Every recorded use under the token's nonce. */
  readonly uses: readonly ApprovalUse[];
  /** The chain of attempts that asks. */
  readonly lineage: string;
  /** Whether it was given before the last time that all unused approvals were voided. */
  readonly isVoid: boolean;
};

/** What the shell found out about a task that a goal is said to have made, all of it from the goal as it is stored. */
export type SpawnFact = {
  readonly parentId: string | null;
  /** The hash of the task that would run. */
  readonly taskHash: Sha256Hex;
  /** The hash of what the one builder makes of the goal for it; null when the goal makes no such task. */
  readonly builtHash: Sha256Hex | null;
  /** The spawn policy of the goal. */
  readonly policyHash: Sha256Hex;
};

/**
 * Whether a token authorises this item now, and the one use to record for it. The row and the start of the attempt are
 * committed together, unique by nonce and number: of many at once only as many succeed as were signed.
 * [APPR-11] [APPR-16] [APPR-17]
 */
export function judgeVerify(presented: Presented): Result<ApprovalUse, ApprovalRefusal> {
  const { token, at, uses, lineage } = presented;
  // A new use is granted by this token alone.
  const held = judgeStanding({ ...presented, heldUntil: null });
  if (!held.ok) return held;
  const spent = usesSpent(presented);
  if (spent >= token.maxExecutions) return refuse("execution_count", "approval_spent");
  // A lineage that was granted once goes on with `judgeCheck`; a second grant would be a replay.
  if (uses.some(({ attemptLineage }) => attemptLineage === lineage))
    return refuse("use_freshness", "approval_use_taken");
  return ok({
    nonce: token.nonce,
    useNumber: spent + 1,
    contentHash: contentOf(presented),
    attemptLineage: lineage,
    at,
  });
}

/** What a use is bound to: the task that runs. */
const contentOf = ({ item, spawn }: Presented): Sha256Hex => spawn?.taskHash ?? item.contentHash;

/**
 * Whether an attempt that was granted may go on. INVARIANT: spends nothing, however often it is asked, and passes only
 * for the lineage that `judgeVerify` granted. [APPR-20] [APPR-21]
 */
export function judgeCheck(presented: Presented): Result<void, ApprovalRefusal> {
  const { token, uses, lineage } = presented;
  const held = judgeStanding(presented);
  if (!held.ok) return held;
  const spent = usesSpent(presented);
  if (spent === 0) return refuse("execution_count", "approval_not_granted");
  if (spent > token.maxExecutions) return refuse("execution_count", "approval_spent");
  const granted = uses.some((use) => use.attemptLineage === lineage && use.contentHash === contentOf(presented));
  return granted ? ok() : refuse("use_freshness", "approval_lineage_differs");
}

const SIGNATURE_CODES = {
  invalid: "approval_signature_invalid",
  key_unknown: "approval_key_unknown",
  key_revoked: "approval_key_revoked",
} as const;

/**
 * Whether an approval may be kept for later: it is signed, for this goal or this way back, on exactly the terms that
 * follow from it. Nothing is used. [APPR-09] [UNDO-03]
 */
export function judgeIssued(issued: Issued): Result<void, ApprovalRefusal> {
  const held = judgeBound(issued);
  if (!held.ok) return held;
  const { token, conditions } = issued;
  const isAsked = Object.entries(conditions).every(
    ([name, value]) => Object.hasOwn(token.conditions, name) && token.conditions[name] === value,
  );
  return isAsked && token.scope === issued.scope ? ok() : refuse("binding", "approval_spawn_policy_differs");
}
type Issued = Pick<Presented, "token" | "signature" | "item" | "scope" | "at"> & {
  /** What the goal or the way back asks for. */
  readonly conditions: ApprovalToken["conditions"];
};

/** What must hold before uses are counted. */
function judgeStanding(presented: Presented): Result<void, ApprovalRefusal> {
  const bound = judgeBound(presented, () => judgeScope(presented));
  return bound.ok && presented.isVoid ? refuse("execution_count", "approval_void") : bound;
}

/** In the order of the checks; what is bound besides the hash is asked between the hash and the verdict. [APPR-11] */
function judgeBound(
  {
    token,
    signature,
    item,
    at,
    heldUntil = null,
  }: Pick<Presented, "token" | "signature" | "item" | "at" | "heldUntil">,
  judgeFurther: () => Result<void, ApprovalRefusal> = ok,
): Result<void, ApprovalRefusal> {
  if (signature !== "valid") return refuse("signature", SIGNATURE_CODES[signature] ?? "approval_signature_invalid");
  if (token.workItemId !== item.workItemId) return refuse("binding", "approval_item_differs");
  if (token.planHash !== item.contentHash) return refuse("binding", "approval_hash_differs");
  const further = judgeFurther();
  if (!further.ok) return further;
  if (token.verdict !== "approved") return refuse("verdict", "approval_not_approved");
  // A clock that was set back must not bring a token to life before it was made.
  if (at < token.issuedAt) return refuse("expiry", "approval_not_yet_valid");
  if (token.expiresAt <= at && (heldUntil ?? token.expiresAt) <= at) return refuse("expiry", "approval_expired");
  return ok();
}

/** A signed approval of something else is none of this, however the rest agrees. [APPR-23] */
function judgeScope(presented: Presented): Result<void, ApprovalRefusal> {
  const spawned = judgeSpawn(presented);
  if (!spawned.ok) return spawned;
  return presented.token.scope === presented.scope ? ok() : refuse("binding", "approval_item_differs");
}

/**
 * The task is one that this goal makes, by the policy that was signed: its child, and to the last byte what the builder
 * makes. [APPR-13] [APPR-22] [GOAL-09]
 */
function judgeSpawn({ token, spawn }: Presented): Result<void, ApprovalRefusal> {
  // A standing approval speaks of tasks its goal makes, and of nothing else. [APPR-14]
  if (spawn === null) return token.scope === "standing" ? refuse("binding", "approval_spawn_missing") : ok();
  if (token.scope !== "standing") return refuse("binding", "approval_spawn_unexpected");
  if (spawn.parentId !== token.workItemId) return refuse("binding", "approval_spawn_parent_differs");
  const signed = standingConditionsOf(token.conditions);
  if (signed?.spawn_policy_hash !== spawn.policyHash) return refuse("binding", "approval_spawn_policy_differs");
  return spawn.builtHash === spawn.taskHash ? ok() : refuse("binding", "approval_spawn_differs");
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
