import { expect, test } from "vitest";
import { err, LIMITS, ok } from "#base";
import { createHeartbeat } from "./heartbeat.ts";

function beating(isEnabled: boolean) {
  const delays: number[] = [];
  const errors: string[] = [];
  let next: (() => void) | null = null;
  let checks = 0;
  const heart = createHeartbeat({
    isEnabled,
    check: async () => {
      checks += 1;
      return checks === 2 ? err({ code: "store_busy" }) : ok([]);
    },
    timers: {
      after: (delayMs, work) => {
        delays.push(delayMs);
        next = work;
        return () => (next = null);
      },
    },
    log: { info: () => {}, warn: () => {}, error: (event) => void errors.push(event) },
  });
  return { heart, delays, errors, isArmed: () => next !== null, beat: () => next?.(), checks: () => checks };
}

test("[AUTO-19] switched off, no heartbeat is registered and nothing is counted", () => {
  const { heart, delays, checks } = beating(false);
  heart.start();
  expect([delays, checks()]).toEqual([[], 0]);
  heart.close();
});

test("decisions are counted at the start and from time to time; what fails is written down, and it goes on until it is closed", async () => {
  const { heart, delays, errors, beat, checks, isArmed } = beating(true);
  heart.start();
  beat();
  beat();
  await Promise.resolve();
  await Promise.resolve();
  expect(delays).toEqual([LIMITS.autonomyBeatMs, LIMITS.autonomyBeatMs, LIMITS.autonomyBeatMs]);
  expect([checks(), errors]).toEqual([3, ["limits_not_checked"]]);
  heart.close();
  expect(isArmed()).toBe(false);
});
