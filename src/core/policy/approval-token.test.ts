import { describe, expect, test } from "vitest";
import type { Instant } from "#base";
import {
  APPROVAL_SCOPES,
  APPROVAL_VERDICTS,
  approvalTokenSchema,
  approvalTokenToWire,
  CONFIG_SCHEMA,
  spawnPolicyHash,
  tokenIdOf,
  tokenSigningBytes,
} from "#model";
import { AT, decisionFor, GOAL, KEY_ID, MINT, NONCE, pendingFor, PROJECTION, signToken } from "./approval.fixture.ts";
import { mintTokens, type Mint } from "./approval-token.ts";

const pending = pendingFor();
const mint: Mint = { ...MINT, decision: decisionFor(pending), pending };
const minted = (change: Partial<Mint> = {}) => {
  const tokens = mintTokens({ ...mint, ...change });
  const [token] = tokens.ok ? tokens.value : [];
  if (!tokens.ok || token === undefined) throw new Error(tokens.ok ? "no token" : tokens.error.code);
  return token;
};
const codeOf = (change: Partial<Mint>) => {
  const tokens = mintTokens({ ...mint, ...change });
  return tokens.ok ? "minted" : tokens.error.code;
};

test("[APPR-01] scopes and verdicts are closed sets", () => {
  expect([...APPROVAL_SCOPES]).toEqual([
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
  ]);
  expect([...APPROVAL_VERDICTS]).toEqual(["approved", "declined", "edit_requested", "conditional"]);
  const wire = approvalTokenToWire(signToken(minted()));
  expect(approvalTokenSchema.safeParse({ ...wire, scope: "everything" }).success).toBe(false);
  expect(approvalTokenSchema.safeParse({ ...wire, verdict: "maybe" }).success).toBe(false);
});

test("[APPR-02] a token has exactly its wire fields, and no count of its own uses", () => {
  const wire = approvalTokenToWire(signToken(minted()));
  expect(Object.keys(wire).toSorted()).toEqual([
    "approval_strength",
    "conditions",
    "expires_at",
    "issued_at",
    "key_id",
    "max_executions",
    "nonce",
    "plan_hash",
    "scope",
    "signature",
    "token_id",
    "verdict",
    "work_item_id",
  ]);
  expect(approvalTokenSchema.safeParse(wire).success).toBe(true);
  expect(approvalTokenSchema.safeParse({ ...wire, executions_used: 0 }).success).toBe(false);
  for (const field of Object.keys(wire)) {
    const { [field as keyof typeof wire]: _left, ...rest } = wire;
    expect(approvalTokenSchema.safeParse(rest).success, field).toBe(false);
  }
});

test("[APPR-04] the signed bytes are the domain and every field but the signature, as pinned", () => {
  const token = minted({
    nonces: ["0123456789abcdef".repeat(4)],
    decision: { ...mint.decision, conditions: { zähler: 1.5, a: null } },
  });
  const text = tokenSigningBytes({ ...token, planHash: "ab".repeat(32) as typeof token.planHash });
  expect(text).toBe(
    "silas-approval-v1\n" +
      '{"approval_strength":"tap","conditions":{"a":null,"friction":["tap","confirm"],"zähler":1.5},"expires_at":"2026-11-15T21:30:00.000Z",' +
      `"issued_at":"2026-11-15T21:00:00.000Z","key_id":"${KEY_ID}","max_executions":1,` +
      '"nonce":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",' +
      '"plan_hash":"abababababababababababababababababababababababababababababababab","scope":"full_plan",' +
      '"token_id":"tok_604482af5251d800a8963f4654c187f7","verdict":"approved","work_item_id":"task-1"}',
  );
  expect(tokenSigningBytes(signToken(token))).toBe(tokenSigningBytes(token));
});

describe("minting", () => {
  test("[APPR-06] takes hash, item and scope from the request, the id from the nonce, and signs nothing", () => {
    expect(minted()).toEqual({
      tokenId: tokenIdOf(NONCE),
      planHash: pending.planHash,
      workItemId: "task-1",
      scope: "full_plan",
      verdict: "approved",
      keyId: KEY_ID,
      issuedAt: AT,
      expiresAt: "2026-11-15T21:30:00.000Z",
      nonce: NONCE,
      approvalStrength: "tap",
      conditions: { friction: ["tap", "confirm"] },
      maxExecutions: 1,
    });
  });

  test("[APPR-07] the end and the number of uses come from the settings, which are half an hour and one", () => {
    const { default_ttl_minutes: ttl, max_executions: uses } = CONFIG_SCHEMA.children.approval.children;
    expect([ttl.fallback, uses.fallback]).toEqual([30, 1]);
    const token = minted({ pending: pendingFor(PROJECTION, { usesMax: 3 }), ttlMs: 60_000, maxExecutions: 3 });
    expect([token.expiresAt, token.maxExecutions]).toEqual(["2026-11-15T21:01:00.000Z", 3]);
  });

  test("[APPR-08] [UX-11] is refused without the friction its risk demands, and strength stays tap", () => {
    expect(codeOf({ decision: { ...mint.decision, friction: ["tap"] } })).toBe("decision_friction_missing");
    expect(codeOf({ decision: { ...mint.decision, friction: [] } })).toBe("decision_friction_missing");
    const wire = approvalTokenToWire(signToken(minted()));
    expect(approvalTokenSchema.safeParse({ ...wire, approval_strength: "biometric" }).success).toBe(false);
  });

  test("[APPR-09] [APPR-06] a goal that stands gets a second token with policy, end and uses from what was shown", () => {
    const terms = { max_executions: 40, expires_at: "2027-01-01T00:00:00.000Z" };
    const goal = pendingFor({ ...GOAL, standing: terms });
    const asked = { pending: goal, decision: decisionFor(goal), nonces: [NONCE, "6f".repeat(32)] };
    const tokens = mintTokens({ ...mint, ...asked });
    const [own, standing, ...more] = tokens.ok ? tokens.value : [];
    if (own === undefined || standing === undefined) throw new Error("two tokens");
    expect(more).toEqual([]);
    expect([own.scope, own.maxExecutions, own.expiresAt]).toEqual(["full_plan", 1, "2026-11-15T21:30:00.000Z"]);
    expect(standing).toMatchObject({ scope: "standing", planHash: goal.planHash, maxExecutions: 40 });
    expect([standing.expiresAt, standing.workItemId]).toEqual([terms.expires_at, "goal-1"]);
    const conditions = { ...terms, spawn_policy_hash: spawnPolicyHash({ ...GOAL }), friction: ["tap", "slide"] };
    expect(standing.conditions).toEqual(conditions);
    for (const left of ["spawn_policy_hash", "expires_at", "max_executions"]) {
      const rest = Object.fromEntries(Object.entries(conditions).filter(([name]) => name !== left));
      const wire = { ...approvalTokenToWire(signToken(standing)), conditions: rest };
      expect(approvalTokenSchema.safeParse(wire).success, left).toBe(false);
    }
    expect(codeOf({ ...asked, standingUsesMax: 39 })).toBe("standing_uses_exceeded");
    expect(mintTokens({ ...mint, ...asked, standingUsesMax: 40 }).ok).toBe(true);
    expect(codeOf({ ...asked, at: terms.expires_at as Instant })).toBe("standing_over");
  });

  test("what cannot stand makes no token: a task, a project, a goal that begins no task", () => {
    const standing = { max_executions: 2, expires_at: "2027-01-01T00:00:00.000Z" };
    for (const projection of [
      { ...PROJECTION, standing },
      { ...GOAL, type: "project", standing },
      { ...GOAL, on_failure: "report", standing },
    ]) {
      const asked = pendingFor(projection);
      expect(codeOf({ pending: asked, decision: decisionFor(asked) }), projection.type).toBe("decision_changed");
    }
  });

  test("no other verdict makes a token", () => {
    for (const verdict of ["declined", "edit_requested", "conditional"] as const) {
      expect(codeOf({ decision: { ...mint.decision, verdict } })).toBe("decision_not_approved");
    }
  });

  test("a request that was answered, is over, was changed or was not what was shown makes none", () => {
    expect(codeOf({ pending: { ...pending, state: "declined" } })).toBe("decision_settled");
    expect(codeOf({ pending: { ...pending, activeSince: AT, expiresAt: AT } })).toBe("decision_expired");
    expect(codeOf({ at: "2026-11-15T21:05:00.000Z" as Instant, pending: { ...pending, expiresAt: AT } })).toBe(
      "decision_expired",
    );
    expect(codeOf({ pending: { ...pending, projection: `${pending.projection} ` } })).toBe("decision_changed");
    expect(codeOf({ pending: { ...pending, riskLevel: "low" } })).toBe("decision_changed");
    expect(codeOf({ pending: { ...pending, workItemId: "task-2" } })).toBe("decision_changed");
    expect(codeOf({ pending: { ...pending, card: { ...pending.card, riskLevel: "low" } } })).toBe("decision_changed");
    // What a person reads first is derived again too, not only the rows: an edited line on disk persuades nobody.
    const { card } = pending;
    for (const part of [
      { intent: "Run: something harmless" },
      { rationale: "This task names 0 commands." },
      { checks: [] },
      { budget: null },
      { capabilities: null },
      { affectedItems: { count: 1, summary: "1 item" } },
      { friction: ["tap" as const] },
      { ctas: card.ctas.slice(0, 1) },
      { details: { ...card.details, state: "open" as const } },
      { details: { ...card.details, notes: [{ path: "/safe", kind: "text" as const, text: "I checked it" }] } },
    ]) {
      const name = Object.keys(part).join();
      expect(codeOf({ pending: { ...pending, card: { ...card, ...part } } }), name).toBe("decision_changed");
    }
    // A choice that says one run is no consent to three.
    expect(codeOf({ maxExecutions: 3 })).toBe("decision_changed");
    const other = pendingFor({ ...JSON.parse(pending.projection), title: "Another" });
    expect(codeOf({ pending: other })).toBe("decision_shown_differs");
    expect(codeOf({ decision: { ...mint.decision, shownHash: other.planHash } })).toBe("decision_shown_differs");
  });
});
