import { expect, test } from "vitest";
import { sha256Hex, type Instant, type JsonValue } from "#base";
import { grantsOf, type ApprovalToken, type PendingDecision } from "#model";
import { decisionFor, GOAL, holds, MINT, pendingFor, PROJECTION, RECEIPT_KEY, signToken } from "./approval.fixture.ts";
import { mintTokens } from "./approval-token.ts";
import { isProven, renderReceipt, verifyReceipt, type ReceiptParts } from "./receipt.ts";

const LATER = "2026-11-15T21:10:00.000Z" as Instant;
const task = (id: string) => ({ ...PROJECTION, id, parent: "project-1", title: `Task ${id}` });
const PROJECT = {
  ...PROJECTION,
  id: "project-1",
  type: "project",
  tasks: ["task-a", "task-b"],
  children: [task("task-a"), task("task-b")],
} satisfies { readonly [field: string]: JsonValue };

function tokensOf(pending: PendingDecision): readonly ApprovalToken[] {
  const nonces = (grantsOf(pending) ?? []).map((_, index) => sha256Hex(`nonce ${index}`) as string);
  const minted = mintTokens({ ...MINT, decision: decisionFor(pending), pending, nonces });
  if (!minted.ok) throw new Error(minted.error.code);
  return minted.value.map(signToken);
}

function partsOf(projection: unknown): ReceiptParts {
  const pending = pendingFor(projection);
  const [own, ...more] = tokensOf(pending).map((token) => ({
    token,
    uses: token.scope === "standing" ? [] : [useOf(token)],
  }));
  if (own === undefined) throw new Error("a token");
  return { ...own, projection: pending.projection, key: RECEIPT_KEY, also: more, audit: null, executions: [] };
}
const useOf = ({ nonce, planHash }: ApprovalToken) => ({
  nonce,
  useNumber: 1,
  contentHash: planHash,
  attemptLineage: `attempt-${nonce.slice(0, 4)}`,
  at: LATER,
});
const failures = (parts: ReceiptParts): readonly string[] =>
  verifyReceipt(renderReceipt(parts), { verifySignature: holds }).flatMap(({ name, outcome, reason }) =>
    outcome === "failed" ? [`${name}: ${reason}`] : [],
  );

test("[PROJ-01] a receipt of a project holds a token for each task, each bound to that task's own hash", () => {
  const parts = partsOf(PROJECT);
  expect(failures(parts)).toEqual([]);
  expect(parts.also.map(({ token }) => token.workItemId)).toEqual(["task-a", "task-b"]);
  expect(new Set([parts.token, ...parts.also.map(({ token }) => token)].map(({ planHash }) => planHash)).size).toBe(3);
});

test("a token that is missing, repeated, moved, added, unsigned or of another decision breaks the receipt", () => {
  const parts = partsOf(PROJECT);
  const [a, b] = parts.also;
  if (a === undefined || b === undefined) throw new Error("two tasks");
  const other = partsOf({ ...PROJECT, children: [task("task-a"), { ...task("task-b"), body: "Else." }] }).also[1] ?? b;
  for (const also of [[], [a], [b], [b, a], [a, a], [a, b, b], [a, other]]) {
    expect(failures({ ...parts, also })).toContain("plan: tokens_differ");
  }
  const forged = { ...b, token: { ...b.token, signature: a.token.signature } };
  expect(failures({ ...parts, also: [a, forged] })).toEqual(["signature: signature_does_not_match"]);
  expect(failures({ ...parts, also: [a, { ...b, uses: [...b.uses, ...b.uses] }] })).toEqual([
    "uses: more_uses_than_signed",
  ]);
  expect(failures({ ...parts, also: [a, { ...b, uses: [useOf(a.token)] }] })).toEqual(["uses: use_of_another_token"]);
  expect(failures({ ...partsOf(PROJECTION), also: [a] })).toEqual(["plan: tokens_differ"]);
});

test("a receipt of a goal that stands holds the token for later, on the terms that the goal asks for", () => {
  const standing = { max_executions: 4, expires_at: "2027-01-01T00:00:00.000Z" };
  const parts = partsOf({ ...GOAL, standing });
  expect(failures(parts)).toEqual([]);
  const [later] = parts.also;
  if (later === undefined) throw new Error("a token for later");
  const task1 = { ...useOf(later.token), contentHash: sha256Hex("a task") };
  expect(failures({ ...parts, also: [{ ...later, uses: [task1] }] })).toEqual([]);
  for (const change of [
    { maxExecutions: 5 },
    { expiresAt: "2027-02-01T00:00:00.000Z" as Instant },
    { conditions: { ...later.token.conditions, max_executions: 5 } },
    { conditions: { ...later.token.conditions, spawn_policy_hash: sha256Hex("another") } },
    { scope: "full_plan" as const },
  ]) {
    // Signed by the owner's key, and still not what this goal asks for.
    const token = signToken({ ...later.token, ...change });
    expect(failures({ ...parts, also: [{ token, uses: [] }] }), JSON.stringify(change)).toContain(
      "plan: tokens_differ",
    );
  }
  expect(failures({ ...parts, also: [] })).toEqual(["plan: tokens_differ"]);
  expect(isProven(verifyReceipt(renderReceipt(parts), { verifySignature: holds }))).toBe(true);
});

test("a project whose children are not exactly its tasks is no request that can be approved", () => {
  const grants = (change: object) => grantsOf(pendingFor({ ...PROJECT, ...change }));
  expect(grants({})).toHaveLength(3);
  for (const change of [
    { children: [] },
    { children: [task("task-a"), null] },
    { children: [task("task-b"), task("task-a")] },
    { children: [task("task-a"), { ...task("task-b"), parent: null }] },
    { children: [task("task-a"), { ...task("task-b"), type: "goal" }] },
    { children: [task("task-a"), task("task-b"), task("task-c")] },
    { tasks: ["task-a"] },
    { type: "task" },
  ]) {
    expect(grants(change), JSON.stringify(Object.keys(change))).toBeNull();
  }
});
