import { expect, test } from "vitest";
import { LIMITS } from "#base";
import { readAnswer } from "./answer.ts";

const ANSWER = { action: "block", reason: "no" };

test("an answer that says only what it must is filled up; each action has a code of its own", () => {
  const empty = { value: null, score: null, flags: [], modified: null };
  const read = (action: string) => readAnswer({ action, reason: "why" });
  expect(read("continue")).toEqual({ action: "continue", code: "passed", reason: "why", ...empty });
  expect(read("block")).toEqual({ action: "block", code: "refused", reason: "why", ...empty });
  expect(read("require_approval")).toEqual({ action: "require_approval", code: "asked", reason: "why", ...empty });
});

test("whatever else an answer says is kept, and its reason is one line of bounded length", () => {
  const said = { value: 7, score: 0.5, flags: ["odd"], modified_context: { a: 1 } };
  const { modified_context: modified, ...rest } = said;
  expect(readAnswer({ ...ANSWER, ...said, code: "outside_bounds" })).toEqual({
    ...ANSWER,
    ...rest,
    modified,
    code: "outside_bounds",
  });
  expect(readAnswer({ ...ANSWER, reason: "two\nlines" })?.reason).not.toContain("\n");
  const long = readAnswer({ ...ANSWER, reason: "x".repeat(LIMITS.gateReasonChars + 1) });
  expect(long?.reason).toHaveLength(LIMITS.gateReasonChars);
});

const throwing = {
  get action(): never {
    throw new Error("looked at");
  },
  reason: "no",
};

test.each([
  ["nothing", undefined],
  ["null", null],
  ["a text", "block"],
  ["an unknown action", { ...ANSWER, action: "perhaps" }],
  ["no reason", { action: "block" }],
  ["a reason that is no text", { ...ANSWER, reason: 7 }],
  ["an unknown code", { ...ANSWER, code: "because" }],
  ["flags that are no list", { ...ANSWER, flags: "odd" }],
  ["a score that is no number", { ...ANSWER, score: "high" }],
  ["one that throws when it is looked at", throwing],
])("%s is no answer", (_name, answer) => {
  expect(readAnswer(answer)).toBeNull();
});
