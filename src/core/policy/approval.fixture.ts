import * as fc from "fast-check";
import { canonicalJson, sha256Hex, type Instant, type JsonValue } from "#base";
import {
  approvalTokenSchema,
  approvalTokenToWire,
  signatureFromHex,
  signatureToHex,
  tokenSigningBytes,
  type ApprovalDecision,
  type ApprovalToken,
  type Card,
  type KeyId,
  type PendingDecision,
  type PublicKeyHex,
  type SignatureHex,
  type UnsignedToken,
} from "#model";
import { mintTokens, type Mint } from "./approval-token.ts";
import type { Presented } from "./approval-verify.ts";
import { cardForPlan } from "./card-plan.ts";
import type { SignatureClaim } from "./receipt.ts";

const PUBLIC_KEY = "07".repeat(32) as PublicKeyHex;
export const KEY_ID = sha256Hex(new Uint8Array(32).fill(7)).slice(0, 32) as KeyId;

export const AT = "2026-11-15T21:00:00.000Z" as Instant;
export const NONCE = "5e".repeat(32);

/** Stands for Ed25519, which core never computes: another text or another key gives another signature. */
function seal({ publicKey, bytes }: { readonly publicKey: string; readonly bytes: string }): SignatureHex {
  return `${sha256Hex(`1${publicKey}${bytes}`)}${sha256Hex(`2${publicKey}${bytes}`)}` as string as SignatureHex;
}

export function signToken(token: UnsignedToken): ApprovalToken {
  return { ...token, signature: signatureFromHex(seal({ publicKey: PUBLIC_KEY, bytes: tokenSigningBytes(token) })) };
}

export const holds = (claim: SignatureClaim): boolean => signatureToHex(claim.signature) === seal(claim);

export const signatureFactOf = (token: ApprovalToken): Presented["signature"] => {
  if (token.keyId !== KEY_ID) return "key_unknown";
  const claim = { publicKey: PUBLIC_KEY, bytes: tokenSigningBytes(token), signature: token.signature };
  return holds(claim) ? "valid" : "invalid";
};

/** The key as a receipt carries it. */
export const RECEIPT_KEY = {
  keyId: KEY_ID,
  publicKey: PUBLIC_KEY,
  name: "This machine",
  kind: "vault",
  enrolledAt: AT,
  revokedAt: null,
};

/** A projection as a plan has it, every field present. */
export const PROJECTION = {
  id: "task-1",
  type: "task",
  title: "Tidy the notes",
  parent: null,
  spawned_by: null,
  follow_up_of: null,
  domain: null,
  agent: "ephemeral",
  budget: {
    max_tokens: 200_000,
    max_cost_usd: 2,
    max_wall_time_seconds: 1800,
    max_attempts: 5,
    max_planner_calls: 3,
  },
  body: "# Context\nWhy.\n",
  interaction_mode: "confirm_only_when_required",
  input_artifacts_from: [],
  verify: [
    {
      name: "has notes",
      run: "test -s notes.md",
      expect: {
        exit_code: 0,
        equals: null,
        contains: null,
        regex: null,
        output_lt: null,
        output_gt: null,
        file_exists: null,
        not_empty: null,
      },
      timeout: 60,
      network: false,
    },
  ],
  gates: [],
  skills: [],
  access_levels: {},
  escalation: {},
  schedule: null,
  on_failure: "report",
  on_stuck: "consult_planner",
  failure_context: null,
  tasks: [],
  depends_on: [],
  executor_kind: null,
  skill_digests: [],
  capabilities: {
    commands: [{ by: "verify:has notes", argv: ["test", "-s", "notes.md"], network: false }],
    files: [],
    hosts: [],
    secret_refs: [],
  },
  children: [],
  standing: null,
} satisfies { readonly [field: string]: JsonValue };

/** A goal that repairs itself, without terms on which it stands. */
export const GOAL = {
  ...PROJECTION,
  id: "goal-1",
  type: "goal",
  title: "The notes stay tidy",
  schedule: "0 * * * *",
  on_failure: "spawn_task",
  failure_context: "Repair what failed.\n\n$failed_checks\n",
} satisfies { readonly [field: string]: JsonValue };

export function textOf(value: unknown): string {
  const text = canonicalJson(value);
  if (!text.ok) throw new Error(text.error.code);
  return text.value;
}

export function pendingFor(projection: unknown = PROJECTION, { usesMax = 1 } = {}): PendingDecision {
  const text = textOf(projection);
  const card = cardForPlan({ projection: text, usesMax, strongAuth: "unavailable" });
  if (!card.ok) throw new Error(card.error.reason);
  const workItemId = (projection as { readonly id: string }).id;
  return pendingWith(card.value, { projection: text, workItemId });
}

/** A request as it stands before anybody answered. */
export function pendingWith(card: Card, of: Pick<PendingDecision, "projection" | "workItemId">): PendingDecision {
  const { cardType: kind, planHash, riskLevel } = card;
  return {
    ...of,
    requestId: "request-1",
    kind,
    planHash,
    card,
    riskLevel,
    createdAt: AT,
    activeSince: null,
    expiresAt: null,
    state: "pending",
    decidedAt: null,
    decidedBy: null,
    tokenId: null,
  };
}

/** What every approval is minted with. */
export const MINT = {
  at: AT,
  nonces: [NONCE],
  ttlMs: 1_800_000,
  maxExecutions: 1,
  standingUsesMax: 100,
  strongAuth: "unavailable",
} as const;

/** The first token of an approval, signed. */
export function tokenFor(pending: PendingDecision, change: Partial<Mint> = {}): ApprovalToken {
  const minted = mintTokens({ ...MINT, decision: decisionFor(pending), pending, ...change });
  const [token] = minted.ok ? minted.value : [];
  if (!minted.ok || token === undefined) throw new Error(minted.ok ? "no token" : minted.error.code);
  return signToken(token);
}

export const decisionFor = (pending: PendingDecision): ApprovalDecision => ({
  verdict: "approved",
  approvalStrength: "tap",
  friction: [...pending.card.friction],
  keyId: KEY_ID,
  signature: null,
  shownHash: pending.planHash,
  conditions: {},
});

/** A token that went over the wire. */
export const reread = (token: ApprovalToken): ApprovalToken => approvalTokenSchema.parse(approvalTokenToWire(token));

const jsonLeaf = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean(), fc.constant(null));
export const conditionsArbitrary = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,8}$/),
  fc.oneof(jsonLeaf, fc.array(jsonLeaf, { maxLength: 3 }), fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), jsonLeaf)),
  { maxKeys: 4 },
);
