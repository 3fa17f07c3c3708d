import * as fc from "fast-check";
import { expect, test } from "vitest";
import { instantFromMs, type JsonValue } from "#base";
import { toCamel, toSnake, WORK_ITEM, type WorkItem } from "#model";
import { FILE_ALONE, planHash, projectPlan } from "./plan-hash.ts";
import { accepted, WHOLE_PLAN } from "../../../test/plan-texts.ts";

const ITEM = accepted(WHOLE_PLAN).item;
const FACTS = FILE_ALONE;
const HASH = planHash(projectPlan(ITEM, FACTS));
const count = fc.nat({ max: 1_000_000 });
const records = fc.array(fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>));

test("[PLAN-11] what the runtime writes never changes the hash", () => {
  const state = fc.record({
    needsApproval: fc.boolean(),
    approvalToken: fc.option(fc.dictionary(fc.string(), fc.string())),
    status: fc.constantFrom("running" as const, "done" as const, "stuck" as const, "blocked" as const),
    attempts: count,
    budgetUsed: fc.record({
      tokens: count,
      costUsd: fc.double({ noNaN: true, min: 0, max: 1e6 }),
      wallTimeSeconds: count,
      attempts: count,
      plannerCalls: count,
      executorRuns: count,
    }),
    verificationResults: records,
    createdAt: fc.nat({ max: 4e12 }).map((ms) => {
      const at = instantFromMs(ms);
      if (!at.ok) throw new Error("within the calendar");
      return at.value;
    }),
  });
  fc.assert(
    fc.property(state, (changed) => {
      expect(planHash(projectPlan({ ...ITEM, ...changed }, FACTS))).toBe(HASH);
    }),
  );
});

test("[PLAN-09] the order in which keys were written never changes the hash", () => {
  const wire = toSnake(WORK_ITEM, ITEM) as JsonValue;
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
      const shuffled = shuffleKeys(wire, () => Number(numbers.next().value));
      expect(planHash(projectPlan(toCamel(WORK_ITEM, shuffled) as WorkItem, FACTS))).toBe(HASH);
    }),
    { numRuns: 50 },
  );
});

test("[PLAN-10] two texts in one field give two hashes", () => {
  const field = fc.constantFrom("title", "body", "failureContext", "onStuck");
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(field, text, text, (name, one, other) => {
      const hashes = [one, other].map((value) => planHash(projectPlan({ ...ITEM, [name]: value }, FACTS)));
      expect(hashes[0] === hashes[1]).toBe(one === other);
    }),
  );
});

function shuffleKeys(value: JsonValue, next: () => number): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => shuffleKeys(item, next));
  if (typeof value !== "object" || value === null) return value;
  const ordered = Object.entries(value).map(([key, inner]) => ({ key, inner: shuffleKeys(inner, next), at: next() }));
  return Object.fromEntries(ordered.toSorted((a, b) => a.at - b.at).map(({ key, inner }) => [key, inner]));
}
