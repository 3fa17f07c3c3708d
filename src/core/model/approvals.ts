import * as z from "zod/mini";
import { canonicalJson, LIMITS, parseInstant, type Instant, type JsonValue } from "#base";
import { DECISION_STATES } from "./approval/decision-states.ts";
import { signatureSchema as signature, signatureToBase64 } from "./approval/signature.ts";
import type { AnswerFault } from "./ask/answers.ts";
import { auditActorSchema } from "./audit.ts";
import { cardSchema, FRICTIONS, REQUEST_KINDS, RISK_LEVELS, type Friction } from "./cards.ts";
import { keyIdSchema, publicKeySchema } from "./keys.ts";
import { recordOf, snakeRecord, writerOf } from "./approval/record-codec.ts";
import { nonce, digestSchema as digest, id, instantSchema, maxLength, minLength, nameSchema } from "./values.ts";

export const APPROVAL_SCOPES = [
  "full_plan",
  "single_step",
  "step_range",
  "tool_type",
  "skill_install",
  "credential_use",
  "budget",
  "self_update",
  "connection_act",
  "connection_manage",
  "autonomy_threshold",
  "standing",
  "memory_promotion",
  "change_set",
] as const;
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];

/** Only `approved` ever authorises anything. */
export const APPROVAL_VERDICTS = ["approved", "declined", "edit_requested", "conditional"] as const;
type ApprovalVerdict = (typeof APPROVAL_VERDICTS)[number];

/** A moment in its one spelling: a token says each thing in one way only. */
const moment = z.pipe(z.string().check(z.refine(isExactInstant, "invalid_instant")), instantSchema);
const uses = z.int().check(z.gte(1), z.lte(100_000));
type ConditionMap = Readonly<Record<string, JsonValue>>;
/** What else was agreed; the keys belong to the scope. It is signed, so it must have canonical bytes. */
const conditions = z.record(z.string(), z.json()).check(z.refine(isBounded)) as z.ZodMiniType<ConditionMap>;

/** What a standing approval must say about itself, under the signature. [APPR-09] */
const standingConditions = z.looseObject({
  spawn_policy_hash: digest,
  expires_at: moment,
  max_executions: uses,
});

const unsignedShape = {
  /** Follows from the nonce, and is signed all the same. */
  token_id: id,
  plan_hash: digest,
  work_item_id: id,
  scope: z.enum(APPROVAL_SCOPES),
  verdict: z.enum(APPROVAL_VERDICTS),
  key_id: keyIdSchema,
  issued_at: moment,
  expires_at: moment,
  nonce,
  approval_strength: z.literal("tap"),
  conditions,
  max_executions: uses,
} as const;

/** A token as it travels. It never changes after it was signed: uses are counted elsewhere. [APPR-02] */
export const approvalTokenSchema = recordOf(
  z.strictObject({ ...unsignedShape, signature }).check(z.refine(standsWithConditions, "standing_conditions_missing")),
);
export type ApprovalToken = z.infer<typeof approvalTokenSchema>;
/** What a signer is given: everything but the signature. */
export type UnsignedToken = Omit<ApprovalToken, "signature">;

/** The same token before it was signed, as a page gets it. */
export const unsignedTokenSchema = recordOf(
  z.strictObject(unsignedShape).check(z.refine(standsWithConditions, "standing_conditions_missing")),
);
export const unsignedTokenToWire = writerOf(unsignedTokenSchema);

/** For tokens that were minted or read here. Whoever reads one again holds it against the whole schema. */
export const approvalTokenToWire = ({ signature: bytes, ...fields }: ApprovalToken): ApprovalTokenBody => ({
  ...snakeRecord(fields),
  signature: signatureToBase64(bytes),
});
type ApprovalTokenBody = z.input<typeof approvalTokenSchema>;

/** The answer to a pending decision. */
export const approvalDecisionSchema = recordOf(
  z.strictObject({
    verdict: z.enum(APPROVAL_VERDICTS),
    approval_strength: z.literal("tap"),
    friction: z.array(z.enum(FRICTIONS)).check(maxLength(FRICTIONS.length)),
    key_id: keyIdSchema,
    /** Over the minted token; null where the signer of this machine is still to be asked. */
    signature: z.nullable(signature),
    /** The hash of what the person was shown, computed where it was shown. */
    shown_hash: digest,
    conditions,
  }),
);
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** A question to the owner that outlives restarts. Null for `expires_at` until it was the active card. */
const pendingShape = {
  request_id: id,
  kind: z.enum(REQUEST_KINDS),
  work_item_id: id,
  plan_hash: digest,
  /** The canonical text that was hashed: what is shown, signed and later run. */
  projection: z.string(),
  card: cardSchema,
  risk_level: z.enum(RISK_LEVELS),
  created_at: moment,
  active_since: z.nullable(moment),
  expires_at: z.nullable(moment),
  state: z.enum(DECISION_STATES),
  decided_at: z.nullable(moment),
  decided_by: z.nullable(auditActorSchema),
  token_id: z.nullable(id),
} as const;
export const pendingDecisionSchema = recordOf(z.strictObject(pendingShape));
export type PendingDecision = z.infer<typeof pendingDecisionSchema>;
export type PendingDecisionBody = z.input<typeof pendingDecisionSchema>;

export const pendingDecisionToWire = writerOf(pendingDecisionSchema);

/** One use of a token: unique by nonce and number. [APPR-17] */
export const approvalUseSchema = recordOf(
  z.strictObject({
    nonce: unsignedShape.nonce,
    use_number: uses,
    content_hash: digest,
    attempt_lineage: id,
    at: moment,
  }),
);
export type ApprovalUse = z.infer<typeof approvalUseSchema>;

/** A key as a receipt carries it. */
const receiptKeySchema = recordOf(
  z.strictObject({
    key_id: keyIdSchema,
    public_key: publicKeySchema,
    name: nameSchema,
    kind: z.string().check(z.regex(/^[a-z][a-z_]{0,31}$/)),
    enrolled_at: moment,
    revoked_at: z.nullable(moment),
  }),
);
export type ReceiptKey = z.infer<typeof receiptKeySchema>;

/** A line of the audit chain as it is stored. */
const auditLine = z.strictObject({ seq: z.int().check(z.gte(1)), text: z.string(), hash: digest });

const grantedSchema = z.strictObject({
  token: approvalTokenSchema,
  uses: z.array(approvalUseSchema).check(maxLength(100_000)),
});

/** A run with its checks and ledger, and what was decided about it if it was in doubt, each as the text that was hashed. */
const executedSchema = z.strictObject({ record: z.string(), settlement: z.nullable(z.string()) });

export const RECEIPT_FORMAT = "silas-receipt";
/** A token with everything needed to check it: no database, no network, no Silas that issued it. */
export const receiptSchema = recordOf(
  z.strictObject({
    format: z.literal(RECEIPT_FORMAT),
    version: z.literal(1),
    token: approvalTokenSchema,
    projection: z.string(),
    key: receiptKeySchema,
    uses: z.array(approvalUseSchema).check(maxLength(100_000)),
    /** The other tokens of the same decision; left out when there are none. Their plans are in the projection. */
    also: z.optional(z.array(grantedSchema).check(minLength(1), maxLength(LIMITS.mintedTokens))),
    audit: z.nullable(z.array(auditLine)),
    /** What was done on these tokens; left out when nothing was run to its end. */
    executions: z.optional(z.array(executedSchema).check(minLength(1), maxLength(100_000))),
    /** Whole receipts of the approvals that single steps of these runs began on, in their order; left out without any. */
    decisions: z.optional(z.array(z.string()).check(minLength(1), maxLength(100_000))),
    /** SHA-256 of the canonical text of all the rest: shows damage. Proof is the signature alone. */
    digest,
  }),
);
export type Receipt = z.infer<typeof receiptSchema>;

export const receiptToWire = writerOf(receiptSchema);

/** What is checked of a token, in this order; the first that fails is the answer. [APPR-11] */
export type ApprovalCheck = "signature" | "binding" | "verdict" | "expiry" | "execution_count" | "use_freshness";
/** Why a token does not authorise. */
export type ApprovalRefusal = {
  readonly code:
    | "approval_key_unknown"
    | "approval_key_revoked"
    | "approval_signature_invalid"
    | "approval_item_differs"
    | "approval_hash_differs"
    | "approval_spawn_missing"
    | "approval_spawn_unexpected"
    | "approval_spawn_parent_differs"
    | "approval_spawn_policy_differs"
    | "approval_spawn_differs"
    | "approval_not_approved"
    | "approval_not_yet_valid"
    | "approval_expired"
    | "approval_spent"
    | "approval_use_taken"
    | "approval_void"
    | "approval_not_granted"
    | "approval_lineage_differs";
  readonly check: ApprovalCheck;
};
/** Why an answer to a pending decision is not taken. Nothing is minted. */
export type DecisionRefusal =
  | { readonly code: "decision_settled"; readonly state: PendingDecision["state"] }
  | { readonly code: "decision_expired" }
  | { readonly code: "decision_changed" }
  | { readonly code: "decision_shown_differs" }
  | { readonly code: "decision_not_approved"; readonly verdict: ApprovalVerdict }
  | { readonly code: "decision_friction_missing"; readonly missing: readonly Friction[] }
  | { readonly code: "answer_refused"; readonly reason: AnswerFault }
  | { readonly code: "decision_strong_auth_unproven" }
  | { readonly code: "standing_conditions_missing" }
  | { readonly code: "standing_uses_exceeded"; readonly usesMax: number }
  | { readonly code: "standing_over"; readonly expiresAt: Instant };

/** What a standing approval says about itself, or null when it does not say it. */
export function standingConditionsOf(map: ConditionMap): z.infer<typeof standingConditions> | null {
  return standingConditions.safeParse(map).data ?? null;
}

function standsWithConditions(token: { readonly scope: ApprovalScope; readonly conditions: ConditionMap }): boolean {
  return token.scope !== "standing" || standingConditionsOf(token.conditions) !== null;
}

function isExactInstant(text: string): boolean {
  const parsed = parseInstant(text);
  return parsed.ok && parsed.value === text;
}

function isBounded(map: unknown): boolean {
  const text = canonicalJson(map);
  return text.ok && text.value.length <= LIMITS.planFrontMatterChars;
}
