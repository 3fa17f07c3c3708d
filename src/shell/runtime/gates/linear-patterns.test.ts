import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { err, LIMITS, ok } from "#base";
import { findPattern, matchPattern, patternProblem } from "./linear-patterns.ts";

test("a pattern has so many characters and no more", () => {
  const problems = [-1, 0, 1].map((more) => patternProblem("a".repeat(LIMITS.patternChars + more)));
  expect(problems).toEqual([null, null, `longer than ${LIMITS.patternChars} characters`]);
});

test("[PRED-08] a text takes so many steps of a pattern, by the size of both, and no more", () => {
  const pattern = Array.from({ length: 1_000 }, (_, count) => `a{${count}}`).find(
    (one) => LIMITS.gatePatternSteps % RE2JS.compile(one).programSize() === 0 && one.length > 5,
  );
  if (pattern === undefined) throw new Error("a size divides the limit");
  const longest = LIMITS.gatePatternSteps / RE2JS.compile(pattern).programSize() - 1;
  const texts = [-1, 0, 1].map((more) => "b".repeat(longest + more));
  expect(texts.map((text) => matchPattern(pattern, text))).toEqual([
    ok(false),
    ok(false),
    err({ code: "text_too_long" }),
  ]);
  expect(texts.map((text) => findPattern(pattern, text))).toEqual([false, false, null]);
});
