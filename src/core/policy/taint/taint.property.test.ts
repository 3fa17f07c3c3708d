import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TAINTS, type Taint } from "#model";
import { deriveTaint, endorse, joinTaints, taintWithSources, type Tainted } from "./taint.ts";

const RANK: { readonly [T in Taint]: number } = { owner: 0, auth: 1, external: 2 };
const anyTaint = fc.constantFrom(...TAINTS);

describe("taint", () => {
  test("[TAINT-06] the join is the least trusted of all, in any order and grouping", () => {
    for (const one of TAINTS) {
      expect(joinTaints(one)).toBe(one);
      for (const other of TAINTS) {
        expect(RANK[joinTaints(one, other)]).toBe(Math.max(RANK[one], RANK[other]));
        expect(joinTaints(one, other)).toBe(joinTaints(other, one));
        for (const third of TAINTS) {
          expect(joinTaints(joinTaints(one, other), third)).toBe(joinTaints(one, joinTaints(other, third)));
        }
      }
    }
    expect(joinTaints("owner", "trusted" as Taint)).toBe("external");
    expect(taintWithSources("owner", [{ taint: "external" }])).toBe("external");
    expect(taintWithSources("owner", [])).toBe("owner");
  });

  test("[TAINT-05] what is made of one message alone is trusted as that message", () => {
    for (const taint of TAINTS) expect(deriveTaint([{ taint }])).toBe(taint);
  });

  test("nothing is made of nothing: an item without a source has no trust to take", () => {
    expect(() => deriveTaint([])).toThrow("TAINT-06");
  });

  /** A history of things made of things: each step makes one of some before it, or lets some influence one. */
  const step = fc.record({
    of: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
    how: fc.constantFrom("derive", "influence"),
  });
  const history = fc.record({
    first: fc.array(anyTaint, { minLength: 1, maxLength: 5 }),
    steps: fc.array(step, { minLength: 18, maxLength: 22 }),
  });
  let derivations = 0;

  test("[TAINT-06] over 100,000 random derivations nothing is ever trusted more than anything it was made of", () => {
    fc.assert(
      fc.property(history, ({ first, steps }) => {
        const items: Tainted[] = first.map((taint, index) => ({ itemId: `${index}`, taint }));
        // The worst thing each item goes back to, kept apart from the code under test.
        const worst = first.map((taint) => RANK[taint]);
        for (const { of, how } of steps) {
          const [target, ...others] = of.map((pick) => pick % items.length);
          const sources = [target ?? 0, ...others];
          const tainted = sources.map((index) => items[index] as Tainted);
          const floor = Math.max(...sources.map((index) => worst[index] ?? 2));
          derivations += 1;
          if (how === "derive") {
            items.push({ itemId: `${items.length}`, taint: deriveTaint(tainted) });
            worst.push(floor);
          } else {
            items[target ?? 0] = { itemId: `${target}`, taint: deriveTaint(tainted) };
            worst[target ?? 0] = floor;
          }
        }
        expect(items.map(({ taint }) => RANK[taint])).toEqual(worst);
      }),
      { numRuns: 6000 },
    );
    expect(derivations).toBeGreaterThan(100_000);
  });

  test("an endorsement raises exactly the item it names", () => {
    fc.assert(
      fc.property(fc.array(anyTaint, { minLength: 2, maxLength: 6 }), fc.nat(), (taints, pick) => {
        const items = taints.map((taint, index) => ({ itemId: `${index}`, taint }));
        const itemId = `${pick % items.length}`;
        const after = items.map((item) => endorse(item, { itemId, tokenId: "tok" }));
        expect(after).toEqual(items.map((item) => (item.itemId === itemId ? { itemId, taint: "owner" } : item)));
      }),
    );
  });
});
