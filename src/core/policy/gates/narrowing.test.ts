import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, type JsonValue } from "#base";
import { gateOf } from "../../../../test/gate-texts.ts";
import { narrows } from "./narrowing.ts";

const clamping = gateOf({
  type: "numeric_range",
  extract: "amount",
  config: { normalise: { clamp: { min: -50, max: 100 } } },
});
const filtering = gateOf({
  extract: "to",
  allowedValues: ["ana", "ben"],
  config: { normalise: { keep_allowed: true } },
});
const plain = gateOf({ allowedValues: ["ana"] });

const step = (gate: typeof plain, from: JsonValue, to: JsonValue) =>
  narrows({ from: { x: from }, to: { x: to }, gate });

describe("arguments that were approved only become less", () => {
  test("a number moves toward zero onto a bound the gate states", () => {
    expect(step(clamping, 500, 100)).toBe(true);
    expect(step(clamping, -500, -50)).toBe(true);
  });

  test("zero is on both sides, and from there nothing becomes less", () => {
    const bounds = (min: number, max: number) =>
      gateOf({ ...clamping, config: { normalise: { clamp: { min, max } } } });
    expect([step(bounds(-5, 0), 500, 0), step(bounds(0, 5), -500, 0)]).toEqual([true, true]);
    expect([step(bounds(-5, 1), 0, 1), step(bounds(-1, 5), 0, -1)]).toEqual([false, false]);
  });

  test.each([
    ["away from zero", 10, 100],
    ["away from zero, below it", -10, -50],
    ["over zero, from below", -500, 100],
    ["to a number the gate does not state", 500, 99],
    ["over zero", 500, -50],
    ["to another type", 500, "100"],
    ["from text", "500", 100],
  ])("a number moved %s is more", (_, from, to) => expect(step(clamping, from, to)).toBe(false));

  test("a bound nobody states is none", () => expect(step(plain, 500, 100)).toBe(false));

  test("a list loses exactly what the gate does not allow", () => {
    expect(step(filtering, ["ana", "eve", "ben"], ["ana", "ben"])).toBe(true);
    expect(step(filtering, ["eve"], [])).toBe(true);
  });

  test.each([
    ["keeps what is not allowed", ["ana", "eve"], ["eve"]],
    ["changes its order", ["ana", "ben"], ["ben", "ana"]],
    ["grows", ["ana"], ["ana", "ben"]],
    ["loses what is allowed", ["ana", "ben"], ["ana"]],
  ])("a list that %s is more", (_, from, to) => expect(step(filtering, from, to)).toBe(false));

  test("a list of a gate that filters nothing may not shrink: without --dry-run a command does more", () => {
    expect(step(plain, ["rm", "--dry-run", "ana"], ["rm", "ana"])).toBe(false);
    expect(step(plain, ["ana", "eve"], ["ana"])).toBe(false);
  });

  test("a shorter path reaches further, and a flag turned off may be a safety turned off", () => {
    expect(step(filtering, "/home/ana/tmp", "/home/ana")).toBe(false);
    expect(step(filtering, true, false)).toBe(false);
    expect(step(filtering, "text", null)).toBe(false);
  });

  test("an argument that comes or goes is more", () => {
    expect(narrows({ from: { a: 1, b: 2 }, to: { a: 1 }, gate: clamping })).toBe(false);
    expect(narrows({ from: { a: 1 }, to: { a: 1, b: 2 }, gate: clamping })).toBe(false);
  });

  test("the same arguments in another order are the same, whatever the gate says", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true }), (args) => {
        fc.pre(canonicalJson(args).ok);
        const turned = Object.fromEntries(Object.entries(args).toReversed());
        expect(narrows({ from: args as never, to: turned as never, gate: plain })).toBe(true);
      }),
    );
  });
});
