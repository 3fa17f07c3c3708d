import * as fc from "fast-check";
import { expect, test } from "vitest";
import { instantFromMs, type Instant } from "#base";
import { directionOf, limitFault, OUTCOMES, type DecidedAction, type LimitValues } from "#model";
import { directionFrom, evidenceWindow, stepChanges } from "./calibrate.ts";

const NOW_MS = Date.UTC(2026, 10, 16, 9, 0);
const at = (ms: number): Instant => {
  const made = instantFromMs(ms);
  if (!made.ok) throw new Error("no such moment");
  return made.value;
};
const SETTINGS = { minSamples: 30, windowActions: 50, windowDays: 14, widenBelow: 0.05, tightenAbove: 0.2 };
const BOUNDS = { standingUsesMax: 100, batchSizeMax: 50, highConfidenceMin: 0.7 };

const outcomes = fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 120 });
const history = (list: readonly DecidedAction["outcome"][]): readonly DecidedAction[] =>
  list.map((outcome, index) => ({ outcome, at: at(NOW_MS - (list.length - index) * 60_000) }));

test("[AUTO-18] a rate that swings around one threshold argues in one direction alone", () => {
  fc.assert(
    fc.property(outcomes, fc.constantFrom("widenBelow", "tightenAbove" as const), (list, around) => {
      const said = new Set<string>();
      for (let seen = 1; seen <= list.length; seen += 1) {
        const window = evidenceWindow(history(list.slice(0, seen)), {
          at: at(NOW_MS),
          since: null,
          settings: SETTINGS,
        });
        // As far from it as the two thresholds must be apart at least, and so never beyond the other.
        if (Math.abs(window.correctionRate - SETTINGS[around as "widenBelow"]) > 0.05) continue;
        const direction = directionFrom(window, SETTINGS);
        if (direction !== null) said.add(direction);
      }
      expect(said.size).toBeLessThan(2);
    }),
  );
});

test("[AUTO-10] however many widenings are approved, no limit passes its cap, and every step goes where it says", () => {
  fc.assert(
    fc.property(
      fc.record({
        size: fc.integer({ min: 1, max: 50 }),
        sure: fc.integer({ min: 70, max: 95 }),
        uses: fc.integer({ min: 1, max: 100 }),
        days: fc.option(fc.integer({ min: 1, max: 365 }), { nil: null }),
      }),
      fc.array(fc.constantFrom("widen" as const, "tighten" as const), { maxLength: 40 }),
      ({ size, sure, uses, days }, steps) => {
        const values: { -readonly [K in keyof LimitValues]: string } = {
          "standing.scope": "repairs",
          "standing.max_executions": String(uses),
          "standing.expires_at": days === null ? "none" : `P${days}D`,
          "batch_review.default_size": String(size),
          "batch_review.confidence.high_min": String(sure / 100),
        };
        for (const direction of steps) {
          for (const family of ["move_files", "goal_repairs"] as const) {
            const changes = stepChanges({ family, direction, values, bounds: BOUNDS });
            expect(limitFault(changes, BOUNDS)).toBeNull();
            for (const { key, current_value: from, proposed_value: to } of changes) {
              expect(directionOf(key, { from, to })).toBe(direction);
              values[key] = to;
            }
          }
          expect(Number(values["batch_review.default_size"])).toBeLessThanOrEqual(50);
          expect(Number(values["batch_review.confidence.high_min"])).toBeGreaterThanOrEqual(0.7);
          expect(Number(values["standing.max_executions"])).toBeLessThanOrEqual(100);
        }
      },
    ),
  );
});
