import { sha256Hex, type Sha256Hex } from "#base";
import type { Card, KeptRequest, KeyId, OwnerKey, PublicKeyHex, SignatureHex, StoredToken } from "#model";
import type { KeyEnrolling, Spending } from "#ports";
import { at } from "./journal-fixture.ts";

export const BY = { kind: "terminal" } as const;

export const KEY: OwnerKey = {
  keyId: "a".repeat(32) as KeyId,
  publicKey: "a".repeat(64) as PublicKeyHex,
  name: "this machine",
  kind: "vault",
  sessionId: null,
  enrolledAt: at(0),
  revokedAt: null,
  lastUsedAt: null,
};

/** As the stores record it; whether the signature holds is not for them to check. */
export const ENROLLED: KeyEnrolling = {
  actor: BY,
  signed: { keyId: KEY.keyId, signature: "0".repeat(128) as SignatureHex },
};

const cardFor = (planHash: Sha256Hex): Card => ({
  cardType: "plan_approval",
  intent: "Tidy the notes",
  riskLevel: "low",
  rationale: "Reads and writes inside its own directory",
  friction: ["tap"],
  checks: [],
  budget: { maxTokens: 1, maxCostUsd: 1, maxWallTimeSeconds: 1, maxAttempts: 1, maxPlannerCalls: 0 },
  capabilities: {
    commands: [],
    files: [],
    hosts: [],
    filesRead: [],
    filesWrite: [],
    secretRefs: [],
    connections: [],
    skills: [],
  },
  affectedItems: null,
  details: { state: "closed", rows: [{ path: "title", kind: "text", text: "Tidy the notes" }], notes: [] },
  planHash,
  ctas: [{ action: "approve", role: "recommended", consequenceLabel: "Run it once" }],
});

/** A request that waits; each name is a plan of its own. */
export function requestFor(name: string, minutes = 0): KeptRequest {
  const projection = JSON.stringify({ id: name });
  const planHash = sha256Hex(projection);
  return {
    requestId: `request-${name}`,
    kind: "plan_approval",
    workItemId: name,
    planHash,
    projection,
    card: cardFor(planHash),
    riskLevel: "low",
    createdAt: at(minutes),
    activeSince: null,
    expiresAt: null,
    state: "pending",
    decidedAt: null,
    decidedBy: null,
    tokenId: null,
    markdown: `# ${name}`,
    againOf: null,
    replacedBy: null,
    proposedBy: BY,
  };
}

/** When the tokens below expire. */
export const EXPIRES_AT = at(600);

export function tokenFor(name: string, maxExecutions = 1): StoredToken {
  const { planHash } = requestFor(name);
  return {
    tokenId: `tok_${name}`,
    nonce: sha256Hex(`nonce of ${name}`),
    planHash,
    keyId: KEY.keyId,
    maxExecutions,
    text: `{"expires_at":"${EXPIRES_AT}","issued_at":"${at(0)}","token_id":"tok_${name}"}`,
  };
}

/** One use of a token; every lineage is another attempt. */
export function spendingFor(
  token: StoredToken,
  { lineage, request = null }: { readonly lineage: string; readonly request?: KeptRequest | null },
): Spending {
  return {
    token,
    workItemId: "item",
    contentHash: token.planHash,
    attemptLineage: lineage,
    friction: ["tap"],
    also: [],
    at: at(1),
    actor: BY,
    judged: request,
  };
}
