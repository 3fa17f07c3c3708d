import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { parseStrictJson } from "./strict-json.ts";

const json = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" });
const anyString = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((u) => String.fromCharCode(...u));

/** The plainest possible writer: what RFC 8785 says, with no thought for speed. */
const reference = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(reference).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${reference(member)}`).join(",")}}`;
};
const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, shuffled(member)]),
  );
};

test("the fast writer agrees with the plain one, or refuses an unsafe integer", () => {
  fc.assert(
    fc.property(json, (value) => {
      const result = canonicalJson(value);
      expect(result.ok ? result.value : result.error.code).toBe(result.ok ? reference(value) : "unsafe_integer");
    }),
  );
});

test("equal values have equal bytes, whatever the order of their keys", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonicalJson(shuffled(value))).toEqual(canonicalJson(value));
    }),
  );
});

test("canonical text is read back by the strict reader and written again unchanged", () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value);
      if (!text.ok) return;
      const read = parseStrictJson(text.value);
      expect(read.ok && canonicalJson(read.value)).toEqual(text);
    }),
  );
});

test("any string at all is written as its escape, or refused for a lone surrogate", () => {
  fc.assert(
    fc.property(anyString, (text) => {
      const result = canonicalJson([text]);
      const expected = text.isWellFormed() ? JSON.stringify([text]) : "lone_surrogate";
      expect(result.ok ? result.value : result.error.code).toBe(expected);
    }),
  );
});
