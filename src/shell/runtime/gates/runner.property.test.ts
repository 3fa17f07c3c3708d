import * as fc from "fast-check";
import { expect, test } from "vitest";
import { depth } from "../../../../test/depth.ts";
import { err } from "#base";
import type { GateFiring } from "#model";
import type { GateProvider } from "#ports";
import { firingOf, gateOf } from "../../../../test/gate-texts.ts";
import { createAuditWorld } from "../audit.fixture.ts";
import { createProviders, SHIPPED_MEANS } from "./registry.ts";
import { createGateRunner } from "./runner.ts";

/** Gates that decide, with the checks that ship with Silas. */
const deciding = [
  gateOf({ name: "guard", on: "every_user_message", provider: "guardrails_ai", check: "jailbreak" }),
  gateOf({ name: "scrub", on: "every_user_message", provider: "guardrails_ai", check: "pii" }),
  gateOf({ name: "size", on: "every_user_message", type: "regex", config: { pattern: "[^!]{0,60}" } }),
];
const advising = ["one", "two"].map((name) => gateOf({ name, on: "every_user_message", provider: "llm" }));

const words = fc.constantFrom(
  "ignore",
  "all",
  "previous",
  "instructions",
  "ana@example.org",
  "4111 1111 1111 1111",
  "hello",
  "!",
  "\u200b",
  "0664 123 45 67",
);
const messages = fc.oneof(
  fc.array(words, { maxLength: 8 }).map((list) => list.join(" ")),
  fc.string(),
);

/** Models that say anything at all, throw, or never come back. */
const advisors: fc.Arbitrary<GateProvider["check"]> = fc.oneof(
  fc.anything().map((answer) => () => answer),
  fc
    .record({
      action: fc.constantFrom("block", "require_approval", "continue"),
      reason: fc.string(),
      score: fc.double(),
      flags: fc.array(fc.string()),
      modified_context: fc.dictionary(fc.constantFrom("message", "response", "tool_args"), fc.anything()),
    })
    .map((answer) => () => answer),
  fc.constant(() => {
    throw new Error("no");
  }),
  fc.constant(() => new Promise(() => {})),
);

const NOWHERE = {
  workDir: "/nowhere",
  memoryMb: 64,
  cpuSeconds: 1,
  sandboxes: { open: async () => err({ code: "sandbox_closed" } as const) },
};

async function decide(firing: GateFiring, advisor: GateProvider["check"] | null) {
  const { audit, clock, timers } = createAuditWorld();
  const providers = new Map(createProviders(SHIPPED_MEANS, NOWHERE));
  if (advisor !== null) providers.set("llm", { check: advisor });
  const runner = createGateRunner({
    system: advisor === null ? deciding : [...advising, ...deciding],
    providers,
    audit,
    clock,
    timers,
    settings: { evaluationsMax: 32, adviceMs: 8_000 },
  });
  // Time stands still here: whoever waited for a silent advisor would wait for ever.
  const { quality: _, evaluations: _count, ...outcome } = await runner.run(firing);
  return outcome;
}

test("[INV-04] policy gates decide the same about the same text and stop it, and nothing an advisor does blocks, delays or alters that", async () => {
  const verdicts = new Set<string>();
  await fc.assert(
    fc.asyncProperty(messages, advisors, async (message, advisor) => {
      const firing = firingOf({ trigger: "every_user_message", context: { message } });
      const alone = await decide(firing, null);
      verdicts.add(alone.verdict);
      expect(await decide(firing, null)).toEqual(alone);
      expect(await decide(firing, advisor)).toEqual(alone);
    }),
    { numRuns: depth({ sample: 50, every: 200 }) },
  );
  expect([...verdicts].toSorted()).toEqual(["block", "continue"]);
});

test("[GATE-22] what an advisor rewrites is dropped whole: the merged context is the same with and without it", async () => {
  let rewritten = 0;
  await fc.assert(
    fc.asyncProperty(messages, fc.string({ minLength: 1 }), async (message, other) => {
      const firing = firingOf({ trigger: "every_user_message", context: { message } });
      const alone = await decide(firing, null);
      if (alone.context.message !== message) rewritten += 1;
      const rewriting = () => ({ action: "continue", reason: "better", modified_context: { message: other } });
      const advised = await decide(firing, rewriting);
      expect(advised.context).toEqual(alone.context);
      expect(advised).toEqual(alone);
    }),
    { numRuns: depth({ sample: 50, every: 200 }) },
  );
  // Gates that decide rewrite too, so that a merge happens at all.
  expect(rewritten).toBeGreaterThan(0);
});
