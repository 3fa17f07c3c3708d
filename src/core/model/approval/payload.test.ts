import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { parsePayload, payloadProjection, payloadSays, payloadSchema, readPayload } from "./payload.ts";

const CHANGES = [
  { key: "batch_review.default_size", current_value: "10", proposed_value: "20", direction: "widen" },
  { key: "standing.max_executions", current_value: "5", proposed_value: "3", direction: "tighten" },
] as const;
const PROPOSAL = {
  kind: "autonomy_threshold",
  proposal_id: "proposal-1",
  scope_id: "owner",
  goal_id: null,
  changes: [...CHANGES],
  sample_size: 50,
  correction_rate: 0.04,
  evidence_window: "last 50 batches / 14 days",
  rationale: "You rarely correct these.",
  risk_level: "medium",
  created_at: "2026-11-15T08:00:00.000Z",
} as const;
const hashOf = (change: object = {}): string =>
  sha256Hex(payloadProjection(payloadSchema.parse({ ...PROPOSAL, ...change })));

test("[BATCH-10] limits of autonomy are bound to their changes in order and to the evidence, and to nothing else", () => {
  const before = hashOf();
  const [first, second] = CHANGES;
  for (const change of [
    { changes: [second, first] },
    { changes: [first] },
    { changes: [first, second, first] },
    { changes: [{ ...first, proposed_value: "21" }, second] },
    { changes: [{ ...first, current_value: "11" }, second] },
    { changes: [{ ...first, direction: "tighten" }, second] },
    { changes: [{ ...first, key: "standing.scope" }, second] },
    { scope_id: "guest" },
    { goal_id: "goal-1" },
    { sample_size: 51 },
    { correction_rate: 0.05 },
    { evidence_window: "last 49 batches / 14 days" },
  ]) {
    expect(hashOf(change), JSON.stringify(change)).not.toBe(before);
  }
  const words = { proposal_id: "proposal-2", rationale: "Else.", risk_level: "high" };
  expect(hashOf({ ...words, created_at: "2026-11-16T08:00:00.000Z" })).toBe(before);
});

test("a limit nobody knows, a share above one and an unsafe value are no proposal", () => {
  for (const change of [
    { changes: [{ ...CHANGES[0], key: "approval.default_ttl_minutes" }] },
    { changes: [] },
    { correction_rate: 1.01 },
    { sample_size: -1 },
    { changes: [{ ...CHANGES[0], proposed_value: "1\u202E0" }] },
    { evidence_window: " " },
  ]) {
    expect(payloadSchema.safeParse({ ...PROPOSAL, ...change }).success, JSON.stringify(change)).toBe(false);
  }
});

test("a projection is read in its one spelling and by its own kind alone", () => {
  const text = payloadProjection(payloadSchema.parse(PROPOSAL));
  expect(readPayload("autonomy_threshold", text)).toMatchObject({ ok: true, value: { subjectId: "owner" } });
  expect(readPayload("autonomy_threshold", ` ${text}`)).toMatchObject({ error: { reason: "not_canonical" } });
  for (const kind of ["batch_review", "memory_promotion", "gate_approval"] as const) {
    expect(readPayload(kind, text).ok).toBe(false);
  }
  expect(readPayload("batch_review", '{"action":"a","count":2,"goal_id":"g","item_ids":["x"],"params":null}').ok).toBe(
    false,
  );
});

test("what is said about a proposal is everything that is not bound", () => {
  const payload = parsePayload(JSON.stringify(PROPOSAL));
  if (!payload.ok) throw new Error(payload.error.reason);
  expect(Object.keys(payloadSays(payload.value)).toSorted()).toEqual([
    "created_at",
    "proposal_id",
    "rationale",
    "risk_level",
  ]);
});
