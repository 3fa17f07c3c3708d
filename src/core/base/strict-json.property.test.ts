import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseStrictJson } from "./strict-json.ts";

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
      if (result.ok) expect(result.value).toEqual(JSON.parse(text));
      else expect(result.error.code).toBe("unsafe_integer");
    }),
  );
});

test("random text never throws, and what is not JSON is never accepted", () => {
  fc.assert(
    fc.property(fragments, (text) => {
      const result = parseStrictJson(text);
      if (result.ok) expect(result.value).toEqual(JSON.parse(text));
      else if (!["duplicate_key", "lone_surrogate", "unsafe_integer", "number_overflow"].includes(result.error.code)) {
        expect(() => JSON.parse(text) as unknown).toThrow();
      }
    }),
    { numRuns: 2000 },
  );
});

test("a repeated key is found wherever it stands", () => {
  const keys = fc.uniqueArray(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(keys, fc.nat(), (names, pick) => {
      const member = (name: string): string => `${JSON.stringify(name)}:0`;
      expect(parseStrictJson(`{${names.map(member).join(",")}}`).ok).toBe(true);
      const repeated = [...names, names[pick % names.length] ?? ""];
      const result = parseStrictJson(`{${repeated.map(member).join(",")}}`);
      expect(!result.ok && result.error.code).toBe("duplicate_key");
    }),
  );
});
