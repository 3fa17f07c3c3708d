import { expect, test } from "vitest";
import { createDecidedPlans, type PlanRead } from "./project-plan.ts";

const read = (markdown: string): PlanRead => ({ markdown, projection: "", projected: {} as PlanRead["projected"] });

test("a plan that was read is given once, and only for the request it was read for", () => {
  const decided = createDecidedPlans(10);
  decided.keep("one", read("abc"));
  expect(decided.take("other")).toBeUndefined();
  expect(decided.take("one")).toEqual(read("abc"));
  expect(decided.take("one")).toBeUndefined();
});

test("the oldest go when the texts do not fit together, and one that is too long is not kept", () => {
  const decided = createDecidedPlans(10);
  for (const name of ["one", "two", "three"]) decided.keep(name, read("abcd"));
  decided.keep("long", read("abcdefghijk"));
  expect(["one", "two", "three", "long"].map((name) => decided.take(name) !== undefined)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  decided.keep("two", read("abcdefghij"));
  expect(decided.take("two")).toBeDefined();
});
