import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderBetween, orderSeries } from "./order-key.ts";

const KEY = /^[0-9A-Za-z]*[1-9A-Za-z]$/;
const digit = fc.constantFrom(..."0019AZYaZbyz", "m");
const anyKey = fc.array(digit, { minLength: 1, maxLength: 12 }).map((digits) => `${digits.join("")}1`);
const isAscending = (keys: readonly string[]): boolean =>
  keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key);

describe("orderBetween", () => {
  test("the new key is strictly between its bounds and never ends in zero", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyKey, { minLength: 2, maxLength: 2 }), (pair) => {
        const [low = "", high = ""] = pair.toSorted();
        const key = orderBetween(low, high);
        expect(key).toMatch(KEY);
        expect(low < key && key < high).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("there is always room before the first and after the last key", () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const after = orderBetween(key, null);
        const before = orderBetween(null, key);
        expect(after > key && before < key).toBe(true);
        expect(after).toMatch(KEY);
        expect(before).toMatch(KEY);
      }),
      { numRuns: 1000 },
    );
  });

  test("a list edited at random places stays in order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), (places) => {
        const keys: string[] = [];
        for (const place of places) {
          const index = place % (keys.length + 1);
          keys.splice(index, 0, orderBetween(keys[index - 1] ?? null, keys[index] ?? null));
        }
        expect(isAscending(keys)).toBe(true);
      }),
    );
  });

  test("ten thousand keys at one end stay short, upward and downward", () => {
    const up = orderSeries(10_000, { before: null, after: null });
    const down = orderSeries(10_000, { before: null, after: up[0] ?? "" });
    expect(isAscending([...down, ...up])).toBe(true);
    expect(Math.max(...[...down, ...up].map((key) => key.length))).toBeLessThanOrEqual(4);
    expect([...down, ...up].every((key) => KEY.test(key))).toBe(true);
  });

  test("appending after a key from elsewhere stays short too", () => {
    fc.assert(
      fc.property(anyKey, (start) => {
        let last = start;
        for (let count = 0; count < 100; count += 1) {
          const next = orderBetween(last, null);
          expect(next > last).toBe(true);
          last = next;
        }
        expect(last.length).toBeLessThanOrEqual(Math.max(start.length, 5));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["a", null, "a1"],
    ["az", null, "b"],
    ["b", null, "b01"],
    ["Z", null, "Z1"],
    ["A", null, "A0001"],
    ["9", null, "A"],
    ["zzzzz", null, "zzzzzV"],
    [null, "b", "az"],
    [null, "a", "Zz"],
    [null, "Z", "Yzz"],
    [null, "A1", "A0zzz"],
    [null, "A", "9"],
    [null, "2", "1"],
    [null, "1", "0V"],
  ])("between %s and %s lies %s", (before, after, key) => {
    expect(orderBetween(before, after)).toBe(key);
  });

  test("zeros at the end of a bound from elsewhere do not matter", () => {
    expect(orderBetween("a0", null) > "a0").toBe(true);
    expect(orderBetween(null, "a00") < "a").toBe(true);
    const between = orderBetween("a10", "a1001");
    expect("a10" < between && between < "a1001").toBe(true);
  });

  test("equal, inverted and impossible bounds are bugs", () => {
    for (const [before, after] of [
      ["a", "a"],
      ["b", "a"],
      ["a", "a0"],
      [null, "0"],
      [null, "000"],
      ["", null],
      ["a-b", null],
      [null, "é"],
    ] as const) {
      expect(() => orderBetween(before, after)).toThrow("order");
    }
  });
});

describe("orderSeries", () => {
  test("gives the asked number of ascending keys inside its bounds", () => {
    const bounds = fc.uniqueArray(anyKey, { minLength: 2, maxLength: 2 }).map((pair) => pair.toSorted());
    fc.assert(
      fc.property(bounds, fc.nat({ max: 80 }), fc.nat({ max: 3 }), ([low = "", high = ""], count, open) => {
        const before = open % 2 === 0 ? low : null;
        const after = open < 2 ? high : null;
        const keys = orderSeries(count, { before, after });
        expect(keys).toHaveLength(count);
        expect(isAscending([...(before === null ? [] : [before]), ...keys, ...(after === null ? [] : [after])])).toBe(
          true,
        );
      }),
    );
  });

  test("a thousand keys between neighbours need two more digits than their bounds", () => {
    expect(Math.max(...orderSeries(1000, { before: "a1", after: "a2" }).map((key) => key.length))).toBeLessThanOrEqual(
      4,
    );
  });

  test("a count that is none is a bug", () => {
    expect(() => orderSeries(-1, { before: null, after: null })).toThrow("count");
    expect(() => orderSeries(1.5, { before: null, after: null })).toThrow("count");
  });
});
