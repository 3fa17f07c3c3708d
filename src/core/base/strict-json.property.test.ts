import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { parseCanonicalJson, parseStrictJson } from "./strict-json.ts";

const json = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" });
const fragments = fc
  .array(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "u",
      "d83d",
      "0",
      "1",
      "-",
      ".",
      "e",
      "true",
      " ",
      "\n",
      "a",
    ),
    {
      maxLength: 14,
    },
  )
  .map((parts) => parts.join(""));

test("what the engine prints, the strict reader reads alike, or refuses for an unsafe integer", () => {
  fc.assert(
    fc.property(json, fc.constantFrom("", "\t", "  "), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const result = parseStrictJson(text);
      const printed = result.ok ? JSON.stringify(result.value, null, indent) : result.error.code;
      expect(printed).toBe(result.ok ? text : "unsafe_integer");
    }),
  );
});

const STRICTER_THAN_JSON = new Set(["duplicate_key", "lone_surrogate", "unsafe_integer", "number_overflow"]);
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test("random text never throws, and what is not JSON is never accepted", () => {
  fc.assert(
    fc.property(fragments, (text) => {
      const result = parseStrictJson(text);
      const isStricter = !result.ok && STRICTER_THAN_JSON.has(result.error.code);
      // A text may be wrong in both ways; which of them is said first is no promise.
      expect(isStricter || result.ok === isJson(text)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

const member = (name: string): string => `${JSON.stringify(name)}:0`;

test("a repeated key is found wherever it stands", () => {
  const keys = fc.uniqueArray(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(keys, fc.nat(), (names, pick) => {
      expect(parseStrictJson(`{${names.map(member).join(",")}}`).ok).toBe(true);
      const repeated = [...names, names[pick % names.length] ?? ""];
      const result = parseStrictJson(`{${repeated.map(member).join(",")}}`);
      expect(!result.ok && result.error.code).toBe("duplicate_key");
    }),
  );
});

test("objects read one after another keep their own keys", () => {
  const key = fc.string({ unit: fc.constantFrom("\\", '"', "\u0001", "\u0002", "\n", "a", "b"), maxLength: 2 });
  const leaf = fc.constantFrom(0, 1, "", "x", null);
  const value = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { maxKeys: 3 })), { maxKeys: 4 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), (values) => {
      const read = values.map((one) => parseStrictJson(JSON.stringify(one)));
      expect(read.map((result) => (result.ok ? entriesOf(result.value) : result.error))).toEqual(values.map(entriesOf));
    }),
    { numRuns: 1000 },
  );
});

test("a text is canonical exactly when the strict reader reads what is written as this text", () => {
  const key = fc.string({ unit: fc.constantFrom("\\", '"', "\u0001", "\u0002", "\n", "a", "b", "é"), maxLength: 2 });
  const values = fc.oneof(json, fc.dictionary(key, fc.dictionary(key, json, { maxKeys: 3 }), { maxKeys: 4 }));
  const canonical = values.map((value) => canonicalJson(value)).map((text) => (text.ok ? text.value : "1e400"));
  const other = fc.constantFrom('{"a":1,"a":1}', '"\\u0061"', "-0", "1e21", "9007199254740993", '"\\ud800"', "[1 ]");
  const texts = fc.oneof(
    canonical,
    other,
    fragments,
    json.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const strict = parseStrictJson(text);
      const written = strict.ok ? canonicalJson(strict.value) : null;
      const isCanonical = written?.ok === true && written.value === text;
      const read = parseCanonicalJson(text);
      expect(read.ok).toBe(isCanonical);
      const expected = strict.ok ? (isCanonical ? entriesOf(strict.value) : { code: "not_canonical" }) : strict.error;
      expect(read.ok ? entriesOf(read.value) : read.error).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

/** Compared as text that is written key by key: engines compare and print shapes, which are in question here. */
const entriesOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.keys(value).map((key) => [key, entriesOf(Object.entries(value).find(([name]) => name === key)?.[1])])
    : value;
