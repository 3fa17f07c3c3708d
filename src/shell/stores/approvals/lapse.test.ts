import { expect, test } from "vitest";
import type { Instant } from "#base";
import { lapseOf } from "./lapse.ts";

test("an approval holds until it expires and in that moment no longer, and so does a decision that prolongs it", () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 10, 16, 9) + ms).toISOString() as Instant;
  const facts = (ms: number) => ({ key: "enrolled", expiresAt: at(ms) }) as const;
  const moments = [-1, 0, 1].map(at);
  expect(moments.map((moment) => lapseOf(facts(0), { at: moment, decisions: () => [] }))).toEqual([
    null,
    "approval_expired",
    "approval_expired",
  ]);
  const prolonged = { decisions: () => [null, facts(0)] };
  expect(moments.map((moment) => lapseOf(facts(-9), { at: moment, ...prolonged }))).toEqual([
    null,
    "approval_expired",
    "approval_expired",
  ]);
});
