import { expect, test } from "vitest";
import type { DecisionRowBody, DecisionsSummaryBody } from "#model";
import { nextOf, stateOf } from "./active-card.ts";

const row = (id: string, state: DecisionRowBody["state"] = "pending"): DecisionRowBody => ({
  request_id: id,
  kind: "plan_approval",
  intent: `Run: ${id}`,
  risk_level: "medium",
  created_at: "2026-11-15T21:00:00.000Z",
  active_since: null,
  expires_at: null,
  state,
  decided_at: null,
  decided_by: null,
  again_of: null,
});
const pending = [row("a"), row("b"), row("c")];

test("after a decision the one behind it comes, after the last the first that was passed over", () => {
  expect(nextOf(pending, "a")?.request_id).toBe("b");
  expect(nextOf(pending, "c")?.request_id).toBe("a");
  expect(nextOf(pending, "elsewhere")?.request_id).toBe("a");
  expect(nextOf([row("a")], "a")).toBeNull();
  expect(nextOf([], "a")).toBeNull();
});

test("the state of a request is what the list says that has it", () => {
  const summary: DecisionsSummaryBody = {
    pending,
    missed: [row("m", "expired")],
    decided: [row("d", "approved")],
    fatigue: { median_ms: null, decisions: 0, is_fast: false },
    is_dense: false,
  };
  expect(["a", "m", "d", "x", null].map((id) => stateOf(summary, id))).toEqual([
    "pending",
    "expired",
    "approved",
    null,
    null,
  ]);
});
