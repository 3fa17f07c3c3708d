import { expect, test } from "vitest";
import type { LoadedPlan } from "./load-plan.ts";
import { createPlansInLine } from "./runner.ts";

const planOf = (markdown: string): LoadedPlan => ({ read: { markdown, projection: "1234" } }) as LoadedPlan;

test("plans in line are kept as long as their texts fit together, and what is taken makes room", () => {
  const inLine = createPlansInLine(20);
  const [first, second] = [planOf("123456"), planOf("123456")];
  const takeFirst = inLine.keep(first);
  const takeSecond = inLine.keep(second);
  expect(inLine.keep(planOf(""))()).toBeNull();
  expect(takeFirst()).toBe(first);
  const third = planOf("");
  expect(inLine.keep(third)()).toBe(third);
  expect(takeSecond()).toBe(second);
});

test("a plan that more than a text decides is read afresh when it has its turn", () => {
  const inLine = createPlansInLine(20);
  expect(inLine.keep({} as LoadedPlan)()).toBeNull();
  expect(inLine.keep(null)()).toBeNull();
});
