import * as fc from "fast-check";
import { expect, test } from "vitest";
import { instantFromMs, type Instant } from "#base";
import { RISK_LEVELS, type RiskLevel } from "#model";
import { fatigueOf, isDense, type Weighed } from "./fatigue.ts";

const START_MS = 1_794_729_600_000;

function instantAt(ms: number): Instant {
  const instant = instantFromMs(ms);
  if (!instant.ok) throw new Error("a test uses real moments");
  return instant.value;
}

const took = (...times: readonly number[]): readonly Weighed[] =>
  times.map((ms) => ({ activeSince: instantAt(START_MS), decidedAt: instantAt(START_MS + ms) }));

test("[FATIGUE-04] a median below one second is a cue, and one of a second is none", () => {
  expect(fatigueOf([])).toEqual({ medianMs: null, decisions: 0, isFast: false });
  expect(fatigueOf(took(999))).toEqual({ medianMs: 999, decisions: 1, isFast: true });
  expect(fatigueOf(took(1_000))).toEqual({ medianMs: 1_000, decisions: 1, isFast: false });
  expect(fatigueOf(took(400, 60_000, 900))).toMatchObject({ medianMs: 900, isFast: true });
  expect(fatigueOf(took(500, 1_500))).toMatchObject({ medianMs: 1_000, isFast: false });
  expect(fatigueOf(took(500, 1_498))).toMatchObject({ medianMs: 999, isFast: true });
});

test("[FATIGUE-04] the median does not depend on the order, and a clock that was set back counts for nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 20 }), fc.nat(), (times, seed) => {
      const turned = times.map((_, index) => times[(index + seed) % times.length] ?? 0);
      expect(fatigueOf(took(...turned))).toEqual(fatigueOf(took(...times)));
      expect(fatigueOf(took(...times, -1, -90_000))).toEqual(fatigueOf(took(...times)));
      const sorted = times.toSorted((a, b) => a - b);
      const medianMs = fatigueOf(took(...times)).medianMs ?? 0;
      expect(sorted.filter((ms) => ms < medianMs).length).toBeLessThanOrEqual(times.length / 2);
      expect(sorted.filter((ms) => ms > medianMs).length).toBeLessThanOrEqual(times.length / 2);
    }),
    { numRuns: 200 },
  );
});

test("six requests of at least medium risk are too many, five are not, and low ones do not count", () => {
  const queue = (...levels: readonly RiskLevel[]) => levels.map((riskLevel) => ({ riskLevel }));
  const weighty = RISK_LEVELS.filter((risk) => risk !== "low");
  const five = [...weighty, ...weighty].slice(0, 5);
  expect(isDense(queue(...five))).toBe(false);
  expect(isDense(queue(...five, ...Array<RiskLevel>(50).fill("low")))).toBe(false);
  expect(isDense(queue(...five, "irreversible"))).toBe(true);
  expect(isDense([])).toBe(false);
});
