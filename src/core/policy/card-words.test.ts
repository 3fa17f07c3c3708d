import { expect, test } from "vitest";
import { skillWords } from "./card-skill.ts";
import { cutLine, expectationWords } from "./card-words.ts";

test("a line is cut only when it is too long, and then ends within its length", () => {
  expect([cutLine("abc", 4), cutLine("abcd", 4), cutLine("abcde", 4)]).toEqual(["abc", "abcd", "abc…"]);
});

test("a check that waits for nothing says so as it is written", () => {
  expect(expectationWords({})).toBe("{}");
  expect(expectationWords({ exit_code: 0 })).toBe("ends with code 0");
});

test("a skill is named in the question as long as its name leaves room for it", () => {
  const intentFor = (chars: number) =>
    skillWords({ name: "s".repeat(chars), files: [], env: [] } as never as Parameters<typeof skillWords>[0]).intent;
  expect(intentFor(56)).toBe(`Install the skill ${"s".repeat(56)}`);
  expect(intentFor(57)).toBe("Install a skill");
});
