import { expect, test } from "vitest";
import { fuzz, PARSER_NAMES, type ParserName } from "./fuzz.ts";

/** Enough to see that promises are kept and damage bites; `npm test` plays 5,000 for each parser, `npm run soak` 100,000. */
const RUNS = 500;

async function refusedOf(parser: ParserName): Promise<number> {
  const { accepted, refused } = await fuzz({ parser, seed: 1, runs: RUNS });
  expect(accepted + refused).toBe(RUNS);
  return refused;
}

test.each(PARSER_NAMES.filter((name) => !["plan", "receipt", "audit"].includes(name)))(
  "damaged texts for the %s reader are read whole or refused, and nothing is thrown",
  async (parser) => {
    // The damage is not harmless.
    expect(await refusedOf(parser)).toBeGreaterThan(RUNS / 4);
  },
);

test("[PLAN-03] damaged plans are accepted whole or refused with a place", async () => {
  const refused = await refusedOf("plan");
  // Both ends are reached, so the damage is neither harmless nor total.
  expect(refused).toBeGreaterThan(RUNS / 4);
  expect(RUNS - refused).toBeGreaterThan(40);
});

test("[APPR-05] a receipt of which anything was changed proves nothing", async () => {
  expect(await refusedOf("receipt")).toBeGreaterThan(RUNS * 0.9);
});

test("[AUD-02] an exported chain of which anything was changed does not verify", async () => {
  expect(await refusedOf("audit")).toBeGreaterThan(RUNS * 0.9);
});
