import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { moveStretch, placeInLanes, resizeStretch } from "./lanes.ts";

const stretch = fc
  .tuple(fc.integer({ min: 0, max: 1425 }), fc.integer({ min: 15, max: 600 }))
  .map(([start, length]) => ({ start, end: Math.min(1440, start + length) }));

describe("blocks of a day", () => {
  test("blocks that overlap never share a lane, and every lane is one of its group's", () => {
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 24 }), (stretches) => {
        const placed = placeInLanes(stretches);
        expect(placed).toHaveLength(stretches.length);
        for (const [index, one] of placed.entries()) {
          expect(one.lane).toBeLessThan(one.lanes);
          for (const other of placed.slice(index + 1)) {
            const overlap = one.start < other.end && other.start < one.end;
            expect(!overlap || (one.lane !== other.lane && one.lanes === other.lanes)).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  test("moving keeps the length and the day, resizing keeps the start and a quarter of an hour", () => {
    fc.assert(
      fc.property(stretch, fc.integer({ min: -3000, max: 3000 }), (block, by) => {
        const moved = moveStretch(block, by);
        expect(moved.end - moved.start).toBe(block.end - block.start);
        expect(moved.start).toBeGreaterThanOrEqual(0);
        expect(moved.end).toBeLessThanOrEqual(1440);
        const resized = resizeStretch(block, by);
        expect(resized.start).toBe(block.start);
        expect(resized.end - resized.start).toBeGreaterThanOrEqual(15);
        expect(resized.end).toBeLessThanOrEqual(1440);
      }),
      { numRuns: 200 },
    );
  });
});
