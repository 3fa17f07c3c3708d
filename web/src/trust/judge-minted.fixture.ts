import { canonicalJson, sha256Hex, type Instant, type JsonValue } from "#base";
import {
  passkeyChallenge,
  projectionRows,
  tokenIdOf,
  tokenSigningBytes,
  unsignedTokenSchema,
  type KeyId,
  type UnsignedTokenBody,
} from "#model";
import type { Minted, ShownRequest, Signing } from "./judge-minted.ts";

const AT = "2026-11-15T21:00:00.000Z" as Instant;
const NONCE = "5e".repeat(32);

const PLAN: { readonly [field: string]: JsonValue } = {
  id: "task-1",
  type: "task",
  title: "Tidy the notes",
  budget: { max_tokens: 1, max_cost_usd: 2, max_wall_time_seconds: 3, max_attempts: 4, max_planner_calls: 5 },
  tasks: [],
  verify: [],
  skill_digests: [],
  capabilities: {
    commands: [{ by: "check", argv: ["test", "-s", "notes.md"], network: false }],
    files: ["notes.md"],
    hosts: [],
    secret_refs: [],
  },
};

const textOf = (value: unknown): string => {
  const text = canonicalJson(value);
  if (!text.ok) throw new Error("a fixture has canonical bytes");
  return text.value;
};

/** Only what is judged of a card: the rest of it is words around these. */
const cardOf = (hash: string, projection: string) =>
  ({
    plan_hash: hash,
    terms: { max_executions: 1, valid_ms: 1_800_000 },
    details: { state: "closed", rows: projectionRows(JSON.parse(projection) as typeof PLAN) },
  }) as unknown as ShownRequest["card"];

export function shownRequest(plan = PLAN): ShownRequest {
  const projection = textOf(plan);
  const hash = sha256Hex(projection);
  return {
    request_id: "request-1",
    kind: "plan_approval",
    work_item_id: String(plan["id"]),
    plan_hash: hash,
    projection,
    card: cardOf(hash, projection),
  };
}

export const signing: Signing = {
  request: shownRequest(),
  friction: ["tap", "slide"],
  keyId: "ab".repeat(16) as KeyId,
  at: AT,
};

export const token: UnsignedTokenBody = {
  token_id: tokenIdOf(NONCE),
  plan_hash: signing.request.plan_hash,
  work_item_id: "task-1",
  scope: "full_plan",
  verdict: "approved",
  key_id: signing.keyId,
  issued_at: AT,
  expires_at: "2026-11-15T21:30:00.000Z",
  nonce: NONCE,
  approval_strength: "tap",
  conditions: { friction: ["tap", "slide"] },
  max_executions: 1,
};

export const minted: Minted = { tokens: [token], passkey: null };

const strong: UnsignedTokenBody = { ...token, conditions: { friction: ["tap", "slide", "strong_auth"] } };
/** The same with a passkey asked for. */
export const mintedWithPasskey: Minted = {
  tokens: [strong],
  passkey: { challenge: passkeyChallenge(tokenSigningBytes(unsignedTokenSchema.parse(strong))) },
};

/** The same request with other terms on its card. */
export const withTerms = (request: ShownRequest, terms: ShownRequest["card"]["terms"]): ShownRequest => {
  const { terms: _before, ...card } = request.card;
  return { ...request, card: terms === undefined ? card : { ...card, terms } };
};

/** A project of two tasks, with the three tokens it becomes. */
export function mintedProject(): { readonly request: ShownRequest; readonly tokens: readonly UnsignedTokenBody[] } {
  const children = ["task-1", "task-2"].map((id) => ({ ...PLAN, id, parent: "project-1" }));
  const project = { ...PLAN, id: "project-1", type: "project", tasks: ["task-1", "task-2"], children };
  const request = shownRequest(project);
  const tokens = [project, ...children].map((item, index): UnsignedTokenBody => {
    const nonce = `${index}e`.repeat(32);
    const planHash = sha256Hex(textOf(item));
    return { ...token, token_id: tokenIdOf(nonce), nonce, plan_hash: planHash, work_item_id: item.id };
  });
  return { request, tokens };
}
