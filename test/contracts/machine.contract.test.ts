import { describe, expect, test } from "vitest";
import { msOfInstant } from "#base";
import type { Clock, Randomness, Timers } from "#ports";
import { systemClock, systemRandomness, systemTimers } from "#runtime";
import { createSeeded, createVirtualClock, createVirtualTimers } from "#sim";

const START = Date.UTC(2026, 10, 16);

type Machine = {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
  /** Until this was done, as far as time alone can bring it about. */
  until(done: Promise<void>): Promise<void>;
};

function real(): Machine {
  return { clock: systemClock, randomness: systemRandomness, timers: systemTimers, until: (done) => done };
}

function twin(): Machine {
  const clock = createVirtualClock(START);
  const timers = createVirtualTimers(clock);
  const until = async (): Promise<void> => {
    while (timers.next(START + 3_600_000));
  };
  return { clock, randomness: createSeeded(7), timers, until };
}

describe.each([
  ["twin", twin],
  ["real", real],
] as const)("the machine (%s)", (_name, open) => {
  test("its clock tells moments as they are written everywhere, none before the last", () => {
    const { clock } = open();
    const [first, second] = [clock.now(), clock.now()];
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(msOfInstant(second)).toBeGreaterThanOrEqual(msOfInstant(first));
  });

  test("its randomness gives as many bytes as were asked for, and not the same twice", () => {
    const { randomness } = open();
    for (const count of [0, 1, 32]) expect(randomness.bytes(count)).toHaveLength(count);
    const given = Array.from({ length: 200 }, () => Buffer.from(randomness.bytes(16)).toString("hex"));
    expect(new Set(given).size).toBe(200);
    expect(new Set(given.join("").match(/../g)).size).toBeGreaterThan(200);
  });

  test("its timers do each thing once, the sooner before the later, never at once, and nothing that was cancelled", async () => {
    const { timers, until } = open();
    const done: string[] = [];
    timers.after(0, () => done.push("first"));
    const cancel = timers.after(1, () => done.push("cancelled"));
    cancel();
    cancel();
    timers.after(5, () => done.push("second"));
    // Set in the order in which they are due, so that a machine that holds us up in between changes nothing.
    const last = new Promise<void>((resolve) => {
      timers.after(30, () => {
        done.push("last");
        resolve();
      });
    });
    expect(done).toEqual([]);
    await until(last);
    expect(done).toEqual(["first", "second", "last"]);
  });
});
