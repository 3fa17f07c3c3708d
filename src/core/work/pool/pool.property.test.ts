import * as fc from "fast-check";
import { expect, test } from "vitest";
import { admitted, conflicts, type Claim } from "./pool.ts";

const LIMITS = { perScope: 3, inTotal: 5 };
const place = fc.constantFrom("/a", "/a/b", "/a/b/c", "/ab", "/d", "/d/e");
const claim: fc.Arbitrary<Claim> = fc.record({
  scope: fc.constantFrom("owner", "guest"),
  writes: fc.array(place, { maxLength: 2 }),
  repositories: fc.array(place, { maxLength: 1 }),
});

type Piece = { readonly at: number; readonly claim: Claim };

test("[PAR-01] [PAR-02] [PAR-03] whatever comes and ends: no limit is passed, nothing that conflicts runs at once, conflicting work runs in its order, and everything has its turn", () => {
  fc.assert(
    fc.property(fc.array(claim, { maxLength: 30 }), fc.infiniteStream(fc.nat()), (claims, choices) => {
      const waiting: Piece[] = claims.map((one, at) => ({ at, claim: one }));
      const running: Piece[] = [];
      const begun: number[] = [];
      while (waiting.length + running.length > 0) {
        const places = admitted({
          running: running.map((piece) => piece.claim),
          resting: [],
          waiting: waiting.map((piece) => piece.claim),
          limits: LIMITS,
        });
        const chosen = places.flatMap((at) => waiting[at] ?? []);
        for (const piece of chosen) waiting.splice(waiting.indexOf(piece), 1);
        running.push(...chosen);
        begun.push(...chosen.map(({ at }) => at));
        expect(running.length).toBeLessThanOrEqual(LIMITS.inTotal);
        for (const scope of ["owner", "guest"]) {
          expect(running.filter((piece) => piece.claim.scope === scope).length).toBeLessThanOrEqual(LIMITS.perScope);
        }
        const pairs = running.flatMap((one) => running.filter((other) => other !== one).map((other) => [one, other]));
        expect(pairs.some(([one, other]) => one && other && conflicts(one.claim, other.claim))).toBe(false);
        // Nothing is held back without a reason: if nothing runs, somebody begins.
        expect(running.length).toBeGreaterThan(0);
        running.splice((choices.next().value as number) % running.length, 1);
      }
      expect(begun.toSorted((a, b) => a - b)).toEqual(claims.map((_, at) => at));
      const overtaken = claims.flatMap((one, earlier) =>
        claims.filter((other, later) => {
          return earlier < later && conflicts(one, other) && begun.indexOf(earlier) > begun.indexOf(later);
        }),
      );
      expect(overtaken).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

const claimOf = (over: Partial<Claim>): Claim => ({ scope: "owner", writes: [], repositories: [], ...over });

test("[PAR-03] a place inside of another conflicts with it, one that only begins alike does not, and two trees of one repository never do", () => {
  expect(conflicts(claimOf({ writes: ["/a"] }), claimOf({ writes: ["/a/b"] }))).toBe(true);
  expect(conflicts(claimOf({ writes: ["/a/b"] }), claimOf({ writes: ["/a"] }))).toBe(true);
  expect(conflicts(claimOf({ writes: ["/a"] }), claimOf({ writes: ["/ab"] }))).toBe(false);
  expect(conflicts(claimOf({ repositories: ["/a"] }), claimOf({ repositories: ["/a"] }))).toBe(false);
  expect(conflicts(claimOf({ repositories: ["/a"] }), claimOf({ writes: ["/a/b"] }))).toBe(true);
});
