import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHash } from "node:crypto";
import { canonicalDigest, canonicalJson, canonicalNumber, isUnsafeInteger, sha256Hex } from "./canonical-json.ts";
import { LIMITS } from "./limits.ts";
import { parseStrictJson } from "./strict-json.ts";

const canonical = (value: unknown): string => {
  const result = canonicalJson(value);
  return result.ok ? result.value : `${result.error.code} at ${result.error.path}`;
};
const parsed = (text: string): unknown => {
  const result = parseStrictJson(text);
  return result.ok ? result.value : result.error;
};
const double = (bits: string): number => Buffer.from(bits, "hex").readDoubleBE();

describe("the vectors RFC 8785 publishes", () => {
  // Appendix B, table 1, all rows with a form.
  const numbers: readonly (readonly [bits: string, text: string])[] = [
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ];

  test.each(numbers)("Appendix B: the double %s is written %s", (bits, text) => {
    expect(canonicalNumber(double(bits))).toBe(text);
  });

  test("Appendix B: a document holds every one of these numbers, except integers a double cannot hold exactly", () => {
    const refused = numbers.filter(([bits]) => isUnsafeInteger(double(bits)));
    expect(refused.map(([, text]) => text)).toEqual([
      "9007199254740992",
      "-9007199254740992",
      "295147905179352830000",
      "999999999999999700000",
      "999999999999999900000",
    ]);
    for (const [bits, text] of numbers) {
      expect(canonical(double(bits))).toBe(isUnsafeInteger(double(bits)) ? "unsafe_integer at " : text);
    }
  });

  test.each(["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])("Appendix B: %s is refused", (bits) => {
    expect(canonical([double(bits)])).toBe("number_not_finite at /0");
    expect(() => canonicalNumber(double(bits))).toThrow("finite");
  });

  test("section 3.2.2 and 3.2.3: the sample document has exactly the published bytes", () => {
    const source = `{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
      "literals": [null, true, false]
    }`;
    const published =
      "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e" +
      "333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c7530303066" +
      "5c6e4127425c225c5c5c5c5c222f227d";
    expect(Buffer.from(canonical(parsed(source))).toString("hex")).toBe(published);
  });

  test("section 3.2.3: keys are sorted by UTF-16 code units, not by code points", () => {
    const source = `{
      "\\u20ac": "Euro Sign",
      "\\r": "Carriage Return",
      "\\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\\ud83d\\ude00": "Emoji: Grinning Face",
      "\\u0080": "Control",
      "\\u00f6": "Latin Small Letter O With Diaeresis"
    }`;
    const order = [...canonical(parsed(source)).matchAll(/:"([^"]+)"/g)].map((match) => match[1]);
    expect(order).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });
});

describe("canonical form", () => {
  test("keys that look like numbers are sorted as text", () => {
    expect(canonical({ 9: 1, 10: 2, a: 3, "-1": 4 })).toBe('{"-1":4,"10":2,"9":1,"a":3}');
  });

  test("every neighbourhood of strings and other values is joined correctly", () => {
    expect(canonical({ d: "x", c: 1, b: 'q"', a: "y" })).toBe('{"a":"y","b":"q\\"","c":1,"d":"x"}');
    expect(canonical({ b: ["s", 'e"', null], a: {} })).toBe('{"a":{},"b":["s","e\\"",null]}');
    expect(canonical([])).toBe("[]");
    expect(canonical("a")).toBe('"a"');
    expect(canonical(-0)).toBe("0");
  });

  test("U+2028, U+007F and astral characters are written as they are, controls in their shortest escape", () => {
    expect(canonical("\u2028\u007f😀")).toBe('"\u2028\u007f😀"');
    expect(canonical("\b\t\n\f\r\u0000\u001f")).toBe('"\\b\\t\\n\\f\\r\\u0000\\u001f"');
  });

  test("every single character, alone and in a long string, is written as the engine escapes it or refused", () => {
    const wrong: number[] = [];
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const short = String.fromCharCode(unit);
      const long = `${short.padStart(20, "a")}${"b".repeat(20)}`;
      const isLone = unit >= 0xd800 && unit <= 0xdfff;
      const expected = (text: string): string => (isLone ? "lone_surrogate at /a" : `{"a":${JSON.stringify(text)}}`);
      if (canonical({ a: short }) !== expected(short) || canonical({ a: long }) !== expected(long)) wrong.push(unit);
    }
    expect(wrong).toEqual([]);
  });

  test("an own key named __proto__ is data", () => {
    expect(canonical(parsed('{"__proto__":{"x":1},"a":2}'))).toBe('{"__proto__":{"x":1},"a":2}');
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("objects without a prototype are plain, as the rows of a database are", () => {
    expect(canonical(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
  });

  test("objects with more keys than are remembered are written the same way", () => {
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
    const record = Object.fromEntries(keys.map((key) => [key, 0]));
    expect(canonical(record)).toBe(
      `{${keys
        .toSorted()
        .map((key) => `"${key}":0`)
        .join(",")}}`,
    );
  });

  test("the bytes stay right with far more kinds of records than are remembered", () => {
    for (let index = 0; index < 20_000; index += 1) {
      expect(canonical({ [`z${index}`]: "b", [`a${index}`]: "a" })).toBe(`{"a${index}":"a","z${index}":"b"}`);
    }
  });
});

describe("what has no canonical form is refused with its place", () => {
  class Point {
    readonly x = 1;
  }
  const lone = "a\ud800b";
  test.each([
    ["undefined", { a: undefined }, "unsupported_value at /a"],
    ["a hole", { a: Array(2) }, "unsupported_value at /a/0"],
    ["a function", { a: () => 1 }, "unsupported_value at /a"],
    ["a symbol", [Symbol("x")], "unsupported_value at /0"],
    ["a bigint", [1n], "unsupported_value at /0"],
    ["a date", { at: new Date(0) }, "unsupported_value at /at"],
    ["a class", { p: new Point() }, "unsupported_value at /p"],
    ["a map", new Map(), "unsupported_value at "],
    ["bytes", { b: new Uint8Array(1) }, "unsupported_value at /b"],
    ["a boxed string", [new String("x")], "unsupported_value at /0"],
    ["NaN", { "a/b": { "c~d": Number.NaN } }, "number_not_finite at /a~1b/c~0d"],
    ["2^53", [0, 2 ** 53], "unsafe_integer at /1"],
    ["-2^53", [-(2 ** 53)], "unsafe_integer at /0"],
    ["a short lone surrogate", [lone], "lone_surrogate at /0"],
    ["a long lone surrogate", [lone.padEnd(40, "x")], "lone_surrogate at /0"],
    ["a lone surrogate beside an escape", [`"${lone}`], "lone_surrogate at /0"],
    ["a lone surrogate in a key", { x: { [lone]: 1 } }, "lone_surrogate at /x"],
  ])("%s", (_name, value, expected) => {
    expect(canonical(value)).toBe(expected);
    expect(canonicalDigest(value).ok).toBe(false);
  });

  test("the largest safe integers pass", () => {
    expect(canonical([2 ** 53 - 1, -(2 ** 53 - 1)])).toBe("[9007199254740991,-9007199254740991]");
  });

  test("nesting passes up to the limit; a cycle is beyond it", () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(canonicalJson(nested(LIMITS.documentDepth)).ok).toBe(true);
    expect(canonical(nested(LIMITS.documentDepth + 1))).toMatch(/^nested_too_deep/);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(canonical(cycle)).toMatch(/^nested_too_deep/);
  });

  test("a small value that unfolds beyond every limit ends with a refusal", () => {
    let value: unknown = "x".repeat(1_000_000);
    for (let level = 0; level < 40; level += 1) value = [value, value];
    expect(canonical(value)).toMatch(/^too_large/);
  });

  test("a text is as long as the limit at most, whatever is written last", () => {
    const text = "x".repeat(1_000_000);
    const large = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`k${index}`, text]));
    const charsOf = (value: unknown) => {
      const written = canonicalJson(value);
      return written.ok ? written.value.length : Number.NaN;
    };
    const inObject = (last: string) => ({ ...large, last });
    const inArray = (last: string) => [large, last];
    // The closing marks are not counted: they come after the last look.
    for (const [within, closing] of [[inObject, '"}'] as const, [inArray, "]"] as const]) {
      const room = LIMITS.canonicalChars - (charsOf(within("")) - closing.length);
      expect(charsOf(within("y".repeat(room)))).toBe(LIMITS.canonicalChars + closing.length);
      expect(canonical(within("y".repeat(room + 1)))).toMatch(/^too_large/);
    }
  });

  test("an error of the value's own getter is not mistaken for a refusal", () => {
    const record = Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw new Error("own");
      },
    });
    expect(() => canonicalJson(record)).toThrow("own");
  });
});

test("the digest is the SHA-256 of the UTF-8 bytes", () => {
  // printf '{"a":"é","b":1}' | sha256sum
  expect(canonicalDigest({ b: 1, a: "é" })).toEqual({
    ok: true,
    value: "aa58fba8483623bed37c1b02edfccbdd9a53123837c20bfa4cb4049993a2872e",
  });
});

test("digests are those of the platform, for text and for bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (text, bytes) => {
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
      expect(sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }),
  );
});

test("a text that has no UTF-8 form has no digest", () => {
  expect(() => sha256Hex("\ud800")).toThrow("well-formed");
});
