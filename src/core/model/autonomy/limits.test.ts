import { expect, test } from "vitest";
import type { Instant } from "#base";
import { payloadSchema } from "../approval/payload.ts";
import {
  directionOf,
  effectiveLimits,
  limitFault,
  LIMIT_KEYS,
  onlyTightens,
  rollbackOf,
  type AppliedLimit,
  type LimitChange,
  type LimitKey,
} from "./limits.ts";

const BOUNDS = { standingUsesMax: 100, batchSizeMax: 50, highConfidenceMin: 0.7 };
const CONFIGURED = {
  "standing.scope": "repairs",
  "standing.max_executions": "100",
  "standing.expires_at": "none",
  "batch_review.default_size": "10",
  "batch_review.confidence.high_min": "0.85",
} as const;
const change = (key: LimitKey, from: string, to: string, direction: LimitChange["direction"]): LimitChange => ({
  key,
  current_value: from,
  proposed_value: to,
  direction,
});
const applied = (key: LimitKey, to: string, rest: Partial<AppliedLimit> = {}): AppliedLimit => ({
  key,
  from: CONFIGURED[key],
  to,
  configured: CONFIGURED[key],
  requestId: "r1",
  tokenId: "t1",
  at: "2026-11-16T08:00:00.000Z" as Instant,
  proof: "holds",
  ...rest,
});

test("[AUTO-09] there are five limits, any other key is refused, and a direction follows the effect", () => {
  expect(LIMIT_KEYS).toHaveLength(5);
  const proposal = {
    kind: "autonomy_threshold",
    proposal_id: "p1",
    scope_id: "owner",
    goal_id: null,
    changes: [change("batch_review.default_size", "10", "15", "widen")],
    sample_size: 30,
    correction_rate: 0,
    evidence_window: "30 decisions",
    rationale: "Few corrections.",
    risk_level: "high",
    created_at: "2026-11-16T08:00:00.000Z",
  };
  expect(payloadSchema.safeParse(proposal).success).toBe(true);
  const another = { ...proposal.changes[0], key: "approval.max_executions" };
  expect(payloadSchema.safeParse({ ...proposal, changes: [another] }).success).toBe(false);
  // Lower certainty asks less often.
  expect(directionOf("batch_review.confidence.high_min", { from: "0.85", to: "0.8" })).toBe("widen");
  expect(directionOf("batch_review.default_size", { from: "10", to: "15" })).toBe("widen");
  expect(directionOf("standing.max_executions", { from: "100", to: "50" })).toBe("tighten");
  expect(directionOf("standing.expires_at", { from: "P90D", to: "none" })).toBe("widen");
  expect(directionOf("standing.scope", { from: "repairs", to: "none" })).toBe("tighten");
  const lying = change("batch_review.confidence.high_min", "0.85", "0.8", "tighten");
  expect(limitFault([lying], BOUNDS)).toMatchObject({ reason: "direction_differs" });
  expect(onlyTightens([lying])).toBe(false);
});

test.each([
  ["standing.max_executions", "100", "101"],
  ["batch_review.default_size", "40", "51"],
  ["batch_review.confidence.high_min", "0.75", "0.69"],
] as const)(
  "[AUTO-10] no widening takes %s beyond its cap, and what is at the cap may be tightened",
  (key, from, to) => {
    expect(limitFault([change(key, from, to, "widen")], BOUNDS)).toEqual({
      code: "limit_refused",
      key,
      reason: "over_cap",
    });
    expect(limitFault([change(key, to, from, "tighten")], BOUNDS)).toBeNull();
  },
);

test.each([
  ["value_unreadable", change("batch_review.default_size", "10", "many", "widen")],
  ["value_unreadable", change("standing.expires_at", "none", "2026-12-01", "tighten")],
  ["not_a_change", change("batch_review.default_size", "10", "10", "widen")],
] as const)("a change that is none is refused: %s", (reason, wrong) => {
  expect(limitFault([wrong], BOUNDS)).toMatchObject({ reason });
});

test("a limit stands once in a proposal", () => {
  const twice = [
    change("batch_review.default_size", "10", "12", "widen"),
    change("batch_review.default_size", "10", "11", "widen"),
  ];
  expect(limitFault(twice, BOUNDS)).toMatchObject({ reason: "key_repeated" });
});

test("a change counts as long as the file says what it said when it was approved; an edited file wins", () => {
  const size = applied("batch_review.default_size", "15");
  expect(effectiveLimits({ configured: CONFIGURED, applied: [size] })["batch_review.default_size"]).toBe("15");
  const edited = { ...CONFIGURED, "batch_review.default_size": "12" };
  expect(effectiveLimits({ configured: edited, applied: [size] })["batch_review.default_size"]).toBe("12");
});

test("what cannot be proven any more widens nothing, and a tightening of it still counts", () => {
  const broken = { proof: "broken" } as const;
  const wide = applied("batch_review.default_size", "15", broken);
  const narrow = applied("standing.max_executions", "5", broken);
  const values = effectiveLimits({ configured: CONFIGURED, applied: [wide, narrow] });
  expect(values["batch_review.default_size"]).toBe("10");
  expect(values["standing.max_executions"]).toBe("5");
});

test("[AUTO-16] what takes widened limits back is exactly those, each to what the configuration says", () => {
  const changes = rollbackOf({
    configured: CONFIGURED,
    applied: [applied("batch_review.default_size", "15"), applied("standing.max_executions", "50")],
  });
  expect(changes).toEqual([change("batch_review.default_size", "15", "10", "tighten")]);
  expect(rollbackOf({ configured: CONFIGURED, applied: [] })).toEqual([]);
});

test("a change may go as far as its cap, and no further", () => {
  const faultOf = (...given: Parameters<typeof change>) => limitFault([change(...given)], BOUNDS)?.reason ?? null;
  expect(faultOf("standing.max_executions", "10", "100", "widen")).toBeNull();
  expect(faultOf("standing.max_executions", "10", "101", "widen")).toBe("over_cap");
  expect(faultOf("batch_review.default_size", "10", "50", "widen")).toBeNull();
  expect(faultOf("batch_review.default_size", "10", "51", "widen")).toBe("over_cap");
  expect(faultOf("batch_review.confidence.high_min", "0.85", "0.7", "widen")).toBeNull();
  expect(faultOf("batch_review.confidence.high_min", "0.85", "0.69", "widen")).toBe("over_cap");
});

test("what stays as it was has no direction", () => {
  const direction = (to: string) => directionOf("batch_review.default_size", { from: "10", to });
  expect([direction("9"), direction("10"), direction("11")]).toEqual(["tighten", null, "widen"]);
});
