import { describe, expect, test } from "vitest";
import { parseYaml } from "./yaml-document.ts";

const problems = (text: string): string[] => {
  const result = parseYaml(text);
  return result.ok ? [] : result.error.map(({ code, line, column }) => `${code} ${line}:${column}`);
};
const value = (text: string): unknown => {
  const result = parseYaml(text);
  return result.ok ? structuredClone(result.value.value) : result.error;
};

describe("strict YAML", () => {
  test.each([
    ["a: 1\nb: 2\na: 3\n", "duplicate_key 3:1"],
    ['a: 1\n"a": 2\n', "duplicate_key 2:1"],
    ["a: &x 1\n", "anchor_refused 1:7"],
    ["&k a: 1\n", "anchor_refused 1:4"],
    ["a: {b: 1}\nc: *x\n", "alias_refused 2:4"],
    ["a:\n  <<: {b: 1}\n", "merge_key_refused 2:3"],
    ["a: !!str 1\n", "tag_refused 1:10"],
    ["a: !js/function x\n", "tag_refused 1:17"],
    ["!!map {a: 1}\n", "tag_refused 1:7"],
    ["a: 1\n---\nb: 2\n", "several_documents 2:1"],
    ["%YAML 1.1\n---\na: 1\n", "directive_refused 1:1"],
    ["%TAG ! tag:x,2000:\n---\na: 1\n", "directive_refused 1:1"],
    ["1: a\n", "key_not_text 1:1"],
    ["? [a]\n: 1\n", "key_not_text 1:3"],
    ["a: [1\n", "yaml_syntax 2:1"],
    ["a: b: c\n", "yaml_syntax 1:4"],
    ["a: .nan\n", "number_refused 1:4"],
    ["a: -.inf\n", "number_refused 1:4"],
    ["a: 9007199254740993\n", "number_refused 1:4"],
    ["a: 1e999\n", "number_refused 1:4"],
  ])("refuses %j", (text, expected) => expect(problems(text)).toContain(expected));

  test.each(["yes", "No", "on", "OFF", "y", "N", "010", "0x1F", "0o17", "0b11", "1_000", "1:30", "12:30:45", "00.5"])(
    "refuses the plain scalar %s, which YAML 1.1 reads as something else",
    (text) => {
      expect(problems(`a: ${text}\n`)).toEqual(["ambiguous_scalar 1:4"]);
      expect(value(`a: "${text}"\n`)).toEqual({ a: text });
    },
  );

  test("takes what is plain: text, numbers, booleans, null, lists, maps, comments, CRLF and a byte order mark", () => {
    const text = "\uFEFFa: 1 # one\r\nb: [x, -0.5, true, null, ~, 1e3]\r\non: 'text'\r\n";
    expect(value(text)).toEqual({ a: 1, b: ["x", -0.5, true, null, null, 1000], on: "text" });
    expect(value("h: 0.0.0.0\nv: 1.2.3\nm: openrouter:a/b\n")).toEqual({
      h: "0.0.0.0",
      v: "1.2.3",
      m: "openrouter:a/b",
    });
    expect(value("")).toBeNull();
  });

  test("reports every problem of a document", () => {
    expect(problems("a: yes\nb: &x 1\na: *x\n")).toHaveLength(4);
  });

  test("bombs are refused before they cost anything", () => {
    expect(problems("[".repeat(500_000))[0]).toMatch(/^document_too_deep/);
    expect(problems("- ".repeat(400_000))[0]).toMatch(/^document_too_deep/);
    expect(problems("{a: ".repeat(200_000))[0]).toMatch(/^document_too_deep/);
    expect(problems(Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n"))[0]).toMatch(
      /^document_too_complex/,
    );
    expect(problems("x".repeat(1_048_577))).toEqual(["document_too_large 1:1"]);
    const lol = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n";
    expect(problems(lol).some((found) => found.startsWith("alias_refused"))).toBe(true);
  });

  test("nesting up to the limit is read", () => {
    const depth = (count: number) => "[".repeat(count) + "]".repeat(count);
    expect(problems(depth(60))).toEqual([]);
    expect(problems(depth(70))[0]).toMatch(/^document_too_deep/);
  });

  test("a value is found at its key, a list element where it begins", () => {
    const result = parseYaml("a:\n  b:\n    - one\n    - two\n");
    if (!result.ok) throw new Error("must parse");
    expect(result.value.locate(["a", "b"])).toEqual({ line: 2, column: 3 });
    expect(result.value.locate(["a", "b", 1])).toEqual({ line: 4, column: 7 });
    expect(result.value.locate(["a", "z"])).toEqual({ line: 1, column: 1 });
  });
});
