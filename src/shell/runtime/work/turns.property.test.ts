import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTurns, type Place } from "./turns.ts";

const LIMITS = { perScope: 2, inTotal: 3 };
const place = fc.constantFrom("/a", "/a/b", "/c", "/d");
const claim = fc.record({
  scope: fc.constantFrom("owner", "guest"),
  writes: fc.array(place, { maxLength: 1 }),
  repositories: fc.constant([]),
});
type Piece = {
  readonly at: number;
  readonly claim: {
    readonly scope: string;
    readonly writes: readonly string[];
    readonly repositories: readonly string[];
  };
  readonly place: Place;
  readonly end: () => void;
  /** Whether it has a place now, rests with what it began, rests before it began, or waits to go on. */
  state: "runs" | "rests" | "rests unbegun" | "comes back";
  hasBegun: boolean;
};
/** The places are few and written out, so that what conflicts is plain to see. */
const conflicts = (one: Piece["claim"], other: Piece["claim"]): boolean =>
  one.writes.some((path) => other.writes.some((its) => path === its || [path, its].toSorted().join() === "/a,/a/b"));
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
};

test("[PAR-01] [PAR-02] [PAR-03] whatever rests gives its place to others and keeps what it has begun to change to itself; it has a place again before it goes on, and everything ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(claim, { minLength: 1, maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      async (claims, choices) => {
        const turns = createTurns(LIMITS);
        const under: Piece[] = [];
        let left = claims.length;
        claims.forEach((one, at) => {
          void turns.add(one, async (held) => {
            const { promise, resolve } = Promise.withResolvers<void>();
            under.push({ at, claim: one, place: held, end: resolve, state: "runs", hasBegun: false });
            await promise;
          });
        });
        const choose = (below: number): number => (choices.next().value as number) % below;
        for (let moves = 0; left > 0; moves += 1) {
          await settle();
          const running = under.filter(({ state }) => state === "runs");
          expect(running.length).toBeLessThanOrEqual(LIMITS.inTotal);
          for (const scope of ["owner", "guest"])
            expect(running.filter((piece) => piece.claim.scope === scope).length).toBeLessThanOrEqual(LIMITS.perScope);
          const holding = under.filter(({ state, hasBegun }) => state === "runs" || hasBegun);
          const met = holding.flatMap((one) =>
            holding.filter((other) => one.at < other.at && conflicts(one.claim, other.claim)),
          );
          expect(met).toEqual([]);
          // After a while nothing rests any more, and then all of it must come to its end.
          const piece = under[choose(under.length || 1)];
          expect(piece, "somebody is under way as long as something is left").toBeDefined();
          if (piece === undefined) return;
          const act = moves < 60 ? choose(4) : 3;
          if (piece.state === "runs" && act < 2) {
            piece.hasBegun ||= act === 0;
            piece.state = piece.hasBegun ? "rests" : "rests unbegun";
            piece.place.rest(piece.hasBegun ? "begun" : "unbegun");
          } else if (piece.state === "rests" || piece.state === "rests unbegun") {
            piece.state = "comes back";
            void piece.place.goOn().then(() => void (piece.state = "runs"));
          } else if (piece.state === "runs" || act === 2) {
            // Also one that is ended while it waits to go on.
            piece.end();
            under.splice(under.indexOf(piece), 1);
            left -= 1;
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});
