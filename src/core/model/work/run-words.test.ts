import { expect, test } from "vitest";
import { stepPlace } from "./run-words.ts";

test("a step is one of so many where that is known, and only the next one where a model chooses them", () => {
  expect(stepPlace({ step: 2, steps: 3 })).toBe("2 of 3");
  expect(stepPlace({ step: 2, steps: null })).toBe("2");
});
