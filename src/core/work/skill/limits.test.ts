import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { readScriptArguments, fillArguments } from "./script-arguments.ts";
import { checkFiles, described, DOCUMENT, GOOD, problemsOf, script, type Files } from "./skill.fixture.ts";

describe("a skill at the edge of what one may hold", () => {
  test("its description", () => {
    const words = (chars: number) => described("words ".repeat(200).slice(0, chars - 1) + ".");
    expect([problemsOf(words(23)), problemsOf(words(24))]).toEqual([["description_short"], []]);
    expect([problemsOf(words(1024)), problemsOf(words(1025))]).toEqual([[], ["description_long"]]);
  });

  test("its scripts", () => {
    const scripts = (count: number): Files =>
      Object.fromEntries(Array.from({ length: count - 1 }, (_, index) => [`scripts/n${index}.mjs`, "export {};\n"]));
    expect(problemsOf({ ...GOOD, ...scripts(LIMITS.skillScripts) })).toEqual([]);
    expect(problemsOf({ ...GOOD, ...scripts(LIMITS.skillScripts + 1) })).toEqual(["script_too_many"]);
  });

  test("its text", () => {
    const text = (chars: number) => script("// a line of words\n".repeat(25_000).slice(0, chars - DOCUMENT.length));
    expect(problemsOf(text(LIMITS.skillTextChars))).toEqual([]);
    expect(problemsOf(text(LIMITS.skillTextChars + 1))).toEqual(["text_too_long"]);
  });

  test("what is told of it", () => {
    const lines = "eval(x);\n".repeat(LIMITS.skillFindings + 5);
    expect(checkFiles(script(lines)).report.problems).toHaveLength(LIMITS.skillFindings);
  });

  test("a read of the whole environment right behind a read of one name is found", () => {
    const { problems } = checkFiles(script('process.env["LANG"]process.env')).report;
    expect(problems.map(({ code, about }) => [code, about])).toContainEqual([
      "env_undeclared",
      "(by a name that is not written there, or all of them)",
    ]);
  });

  test("the texts its scripts take", () => {
    const lengths = (longest: number) => {
      const refused: string[] = [];
      readScriptArguments({ text: { type: "string", max_length: longest } }, (about) => refused.push(about));
      return refused;
    };
    expect([lengths(0), lengths(1)]).toEqual([["text"], []]);
    const taken = readScriptArguments({ text: { type: "string", max_length: 3 } }, () => {});
    expect(fillArguments(taken, { text: "abc" })).toEqual({ ok: true, value: { text: "abc" } });
    expect(fillArguments(taken, { text: "abcd" })).toMatchObject({ error: { reason: "too_long" } });
  });
});
