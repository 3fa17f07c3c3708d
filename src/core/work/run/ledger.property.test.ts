import * as fc from "fast-check";
import { expect, test } from "vitest";
import { exhausted, NOTHING_USED, remainingMs } from "./ledger.ts";

const limit = { maxTokens: 100, maxCostUsd: 2, maxWallTimeSeconds: 60, maxAttempts: 3, maxPlannerCalls: 1 };
const used = fc.record({
  tokens: fc.integer({ min: 0, max: 200 }),
  costUsd: fc.double({ min: 0, max: 4, noNaN: true }),
  wallTimeSeconds: fc.double({ min: 0, max: 120, noNaN: true }),
  attempts: fc.integer({ min: 0, max: 6 }),
  plannerCalls: fc.integer({ min: 0, max: 6 }),
  executorRuns: fc.integer({ min: 0, max: 6 }),
});

test("[BUD-02] a dimension is used up from its limit on; attempts count only before an attempt, planner calls not here", () => {
  fc.assert(
    fc.property(used, (sum) => {
      const isUsedUp = sum.tokens >= 100 || sum.costUsd >= 2 || sum.wallTimeSeconds >= 60;
      expect(exhausted({ used: sum, limit, before: "action" }) !== null).toBe(isUsedUp);
      expect(exhausted({ used: sum, limit, before: "attempt" }) !== null).toBe(isUsedUp || sum.attempts >= 3);
    }),
    { numRuns: 200 },
  );
});

test("[BUD-02] exactly at the limit is used up, just below is not", () => {
  for (const [name, at, below] of [
    ["tokens", 100, 99],
    ["costUsd", 2, 1.999_999],
    ["wallTimeSeconds", 60, 59.999],
  ] as const) {
    expect(exhausted({ used: { ...NOTHING_USED, [name]: at }, limit, before: "action" })).not.toBeNull();
    expect(exhausted({ used: { ...NOTHING_USED, [name]: below }, limit, before: "action" })).toBeNull();
  }
});

test("there is time left exactly as long as it is not used up", () => {
  fc.assert(
    fc.property(used, (sum) => {
      expect(remainingMs(sum, limit) > 0).toBe(sum.wallTimeSeconds < 60);
      expect(remainingMs(sum, limit)).toBeLessThanOrEqual(60_000);
    }),
    { numRuns: 200 },
  );
});
