import { expect, test } from "vitest";
import { fuzzPlans } from "./plan-fuzz.ts";

test("[PLAN-03] damaged plans are accepted whole or refused with a place, and nothing is thrown", () => {
  const { accepted, refused } = fuzzPlans({ seed: 1, runs: 5000 });
  // Both ends are reached, so the damage is neither harmless nor total.
  expect(accepted).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(1000);
});
