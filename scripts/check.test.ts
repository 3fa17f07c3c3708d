import { expect, test } from "vitest";
import { checkSteps, testSteps } from "./check.ts";
import type { Step } from "./steps.ts";

const namesOf = (steps: readonly Step[]): readonly string[] => steps.map(({ name }) => name);

test("`npm test` runs all of `npm run check`, and each step once", () => {
  const names = namesOf(testSteps("reports"));
  expect(names).toEqual(expect.arrayContaining([...namesOf(checkSteps("reports"))]));
  expect(new Set(names).size).toBe(names.length);
});

test("only the browser tests wait, and only for the page; the terminal tests begin at once", () => {
  const steps = testSteps("reports");
  expect(steps.flatMap(({ name, after }) => (after === undefined ? [] : [[name, after]]))).toEqual([
    ["browser", "web build"],
  ]);
  expect(namesOf(steps).slice(0, 3)).toEqual(["web build", "terminal", "browser"]);
});
