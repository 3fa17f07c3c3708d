import { expect, test } from "vitest";
import { lineOf } from "./prepare-question.ts";

test("a line that just fits is kept whole, and a longer one is cut at a whole character", () => {
  expect(["abcd", "abcde", "🌱🌱", "🌱🌱🌱"].map((text) => lineOf(text, 4))).toEqual(["abcd", "ab", "🌱🌱", "🌱🌱"]);
  expect(lineOf(" ", 4)).toBe("(no words)");
});
