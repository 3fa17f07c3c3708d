import { describe, expect, test } from "vitest";
import { instantFromMs, LIMITS, type Instant } from "#base";
import type { Clock } from "#ports";
import { createRateWindow } from "./rate-window.ts";

function handClock(): Clock & { nowMs: number } {
  const clock = {
    nowMs: 1_800_000_000_000,
    now(): Instant {
      const instant = instantFromMs(clock.nowMs);
      if (!instant.ok) throw new Error("a test clock shows a real moment");
      return instant.value;
    },
  };
  return clock;
}

describe("rate window", () => {
  test("[LIM-01] the message above the limit of a minute is refused, and says when the next one may come", () => {
    const clock = handClock();
    const window = createRateWindow({ perMinute: 60, clock });
    for (let index = 0; index < 60; index += 1) {
      expect(window.take("owner").allowed).toBe(true);
      clock.nowMs += 500;
    }
    expect(window.take("owner")).toEqual({ allowed: false, retryAfterMs: 30_000 });
    clock.nowMs += 29_999;
    expect(window.take("owner")).toEqual({ allowed: false, retryAfterMs: 1 });
    clock.nowMs += 1;
    expect(window.take("owner")).toEqual({ allowed: true });
  });

  test("[LIM-01] no sixty seconds ever hold more than the limit, wherever they begin", () => {
    const clock = handClock();
    const window = createRateWindow({ perMinute: 5, clock });
    const taken: number[] = [];
    for (let step = 0; step < 400; step += 1) {
      clock.nowMs += (step * 7919) % 9_000;
      if (window.take("owner").allowed) taken.push(clock.nowMs);
    }
    for (const start of taken) {
      expect(taken.filter((time) => time >= start && time < start + 60_000).length).toBeLessThanOrEqual(5);
    }
  });

  test("[LIM-07] a scope at its limit leaves every other scope untouched", () => {
    const clock = handClock();
    const window = createRateWindow({ perMinute: 2, clock });
    for (let index = 0; index < 10; index += 1) window.take("scope-a");
    expect(window.take("scope-a").allowed).toBe(false);
    expect([window.take("scope-b").allowed, window.take("scope-b").allowed]).toEqual([true, true]);
    expect(window.take("scope-b").allowed).toBe(false);
  });

  test("a clock that was set back does not lock anyone out", () => {
    const clock = handClock();
    const window = createRateWindow({ perMinute: 1, clock });
    window.take("owner");
    clock.nowMs -= 3_600_000;
    expect(window.take("owner").allowed).toBe(true);
    expect(window.take("owner").allowed).toBe(false);
  });

  test("it remembers a bounded number of keys", () => {
    const clock = handClock();
    const window = createRateWindow({ perMinute: 1, clock });
    window.take("first");
    for (let index = 0; index < LIMITS.rateKeysMax; index += 1) window.take(`key-${index}`);
    expect(window.take("first").allowed).toBe(true);
    expect(window.take(`key-${LIMITS.rateKeysMax - 1}`).allowed).toBe(false);
  });

  test("of as many keys as it remembers none is forgotten, and with one more only the one not used for longest", () => {
    const window = createRateWindow({ perMinute: 1, clock: handClock() });
    window.take("used-again");
    window.take("second");
    for (let index = 2; index < LIMITS.rateKeysMax; index += 1) window.take(`key-${index}`);
    expect(window.take("second").allowed).toBe(false);
    expect(window.take("used-again").allowed).toBe(false);
    // The oldest by use are the keys from 2 on by now.
    window.take("one more");
    expect(window.take("second").allowed).toBe(false);
    expect(window.take("used-again").allowed).toBe(false);
    expect(window.take("key-3").allowed).toBe(false);
    expect(window.take("key-2").allowed).toBe(true);
  });
});
