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

test("an approval that does not say when it ends, or whose key does not count, holds no run whatever else was decided", () => {
  const at = "2026-11-16T09:00:00.000Z" as Instant;
  const later = { key: "enrolled", expiresAt: "2026-11-17T09:00:00.000Z" as Instant } as const;
  const lapse = (own: Parameters<typeof lapseOf>[0]) => lapseOf(own, { at, decisions: () => [later] });
  expect(lapse(later)).toBeNull();
  expect(lapse(null)).toBe("approval_missing");
  expect(lapse({ ...later, expiresAt: "" as Instant })).toBe("approval_unreadable");
  expect(lapse({ ...later, key: "revoked" })).toBe("approval_key_revoked");
  expect(lapse({ ...later, key: "unknown" })).toBe("approval_key_unknown");
});
