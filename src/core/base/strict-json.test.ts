import { describe, expect, test } from "vitest";
import { LIMITS } from "./limits.ts";
import { parseStrictJson } from "./strict-json.ts";

const read = (text: string): unknown => {
  const result = parseStrictJson(text);
  return result.ok ? result.value : `${result.error.code} ${result.error.line}:${result.error.column}`;
};

describe("parseStrictJson", () => {
  test("a key is read as it is written, whatever was read before", () => {
    read('{"":1,"\\\\":"x","a":0}');
    expect(read('{"":0,"\\u0001":"","\\u0002":0}')).toEqual({ "": 0, "\u0001": "", "\u0002": 0 });
    expect(read('[{"a":{"\\u005f_proto__":[1.5,"\\n",true,null,{}]}}, "b"]')).toEqual([
      { a: Object.fromEntries([["__proto__", [1.5, "\n", true, null, {}]]]) },
      "b",
    ]);
  });

  test.each([
    ["null", null],
    [" \t\r\n[ ] ", []],
    [
      '{"a":[1,-2.5e-3,true,false,null,"x\\n\\u00e9\\/"],"b":{}}',
      { a: [1, -0.0025, true, false, null, "x\né/"], b: {} },
    ],
    ['"\\ud83d\\ude00 \ud83d\ude00"', "😀 😀"],
    ['"\ud800\udc00\udbff\udfff"', "\u{10000}\u{10ffff}"],
    ['"\\ud800\\udfff\\udbff\\udc00"', "\u{103ff}\u{10fc00}"],
    ['"\ud7ff\ue000 \\ud7ff\\ue000"', "\ud7ff\ue000 \ud7ff\ue000"],
    ["999999999999999", 999999999999999],
    ["-90", -90],
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740991.4", 9007199254740991],
    ["1e30", 1e30],
    ["1e-400", 0],
    ["0.1", 0.1],
    ['{"a":1,"A":2,"":3}', { a: 1, A: 2, "": 3 }],
  ])("reads %s", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  test.each([
    ["", "unexpected_end 1:1"],
    ["[1", "unexpected_end 1:3"],
    ["[1,]", "unexpected_character 1:4"],
    ['{"a":1,}', "unexpected_character 1:8"],
    ['{"a" 1}', "unexpected_character 1:6"],
    ["{a:1}", "unexpected_character 1:2"],
    ['{"a":1 "b":2}', "unexpected_character 1:8"],
    ["tru", "unexpected_character 1:1"],
    ["NaN", "unexpected_character 1:1"],
    ["// x", "unexpected_character 1:1"],
    ["\ufeff1", "unexpected_character 1:1"],
    ["\u00a01", "unexpected_character 1:1"],
    ["1 2", "trailing_text 1:3"],
    ["[]\n\n  ]", "trailing_text 3:3"],
    ["1/", "trailing_text 1:2"],
    ["1:", "trailing_text 1:2"],
    ["01", "invalid_number 1:1"],
    ["-", "unexpected_end 1:2"],
    ["-x", "invalid_number 1:2"],
    ["1.", "unexpected_end 1:3"],
    ["[1.]", "invalid_number 1:4"],
    ["[1e+]", "invalid_number 1:5"],
    ["+1", "unexpected_character 1:1"],
    ['"a', "unexpected_end 1:3"],
    ['"a\\', "unexpected_end 1:4"],
    ['"\\x41"', "invalid_escape 1:2"],
    ['"\\u00g0"', "invalid_escape 1:2"],
    ['"\\u12', "invalid_escape 1:2"],
    ['"a\nb"', "control_character 1:3"],
    ['"\u001f"', "control_character 1:2"],
    ['"\udfff"', "lone_surrogate 1:2"],
    ['"\\udfff"', "lone_surrogate 1:2"],
    ['"\ud800\udbff"', "lone_surrogate 1:2"],
    ['"\ud800\ue000"', "lone_surrogate 1:2"],
    ['"\\udbff\\ue000"', "lone_surrogate 1:2"],
    ['"\ud800"', "lone_surrogate 1:2"],
    ['"\udc00"', "lone_surrogate 1:2"],
    ['"\\ud800"', "lone_surrogate 1:2"],
    ['"\\uDC00\\uD800"', "lone_surrogate 1:2"],
    ['"\\uDC00\\uDC00"', "lone_surrogate 1:2"],
    ['"x\udc00\udc00"', "lone_surrogate 1:3"],
    ['"\ud83d\\ude00\ud83d"', "lone_surrogate 1:9"],
    ['"\\ud800\\u0041"', "lone_surrogate 1:2"],
    ['"\\ud800\\n"', "lone_surrogate 1:2"],
    ['{"\\ud800":1}', "lone_surrogate 1:3"],
    ['{"a":1,\n "a":2}', "duplicate_key 2:2"],
    ['{"a":1,"\\u0061":2}', "duplicate_key 1:8"],
    ['{"__proto__":1,"__proto__":2}', "duplicate_key 1:16"],
    ['[{"x":{"k":1,"k":1}}]', "duplicate_key 1:14"],
    ["9007199254740992", "unsafe_integer 1:1"],
    ["[0, -9007199254740993]", "unsafe_integer 1:5"],
    ["9007199254740992.0", "unsafe_integer 1:1"],
    ["1e17", "unsafe_integer 1:1"],
    [`1${"0".repeat(400)}`, "unsafe_integer 1:1"],
    ["1e309", "number_overflow 1:1"],
    ["[-1e400]", "number_overflow 1:2"],
  ])("refuses %j with %s", (text, refusal) => {
    expect(read(text)).toBe(refusal);
  });

  test("keeps __proto__ as data and leaves every prototype alone", () => {
    const value = read('{"__proto__":{"polluted":true}}');
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("reads nesting up to the limit and refuses one level more, however long the text goes on", () => {
    const deep = LIMITS.documentDepth;
    expect(parseStrictJson("[".repeat(deep) + "]".repeat(deep)).ok).toBe(true);
    expect(read("[".repeat(deep + 1) + "]".repeat(deep + 1))).toBe(`nested_too_deep 1:${deep + 1}`);
    expect(read("[".repeat(LIMITS.bodyBytes))).toBe(`nested_too_deep 1:${deep + 1}`);
    expect(read('{"a":'.repeat(LIMITS.bodyBytes / 5))).toBe(`nested_too_deep 1:${deep * 5 + 1}`);
  });

  test("answers for full-size hostile bodies", () => {
    const size = LIMITS.bodyBytes;
    const manyKeys = Array.from({ length: size / 12 }, (_, index) => `"${index * 4096}":0`).join(",");
    expect(parseStrictJson(`{${manyKeys}}`).ok).toBe(true);
    expect(read(`{${manyKeys},"0":1}`)).toMatch(/^duplicate_key/);
    expect(read(`"${"\\".repeat(size)}`)).toMatch(/^unexpected_end/);
    expect(read(" ".repeat(size))).toBe(`unexpected_end 1:${size + 1}`);
    expect(read("\n".repeat(size))).toBe(`unexpected_end ${size + 1}:1`);
    expect(read(`0.${"9".repeat(size)}`)).toBe(1);
    expect(read("9".repeat(size))).toBe("unsafe_integer 1:1");
  });
});
