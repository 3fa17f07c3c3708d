import { assert, instantFromMs } from "#base";
import type { Clock, Randomness, Timers } from "#ports";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { randomBytes } = process.getBuiltinModule("node:crypto");

/** The machine's own clock, randomness and timers: the only place that reads them. */
export const systemClock: Clock = {
  now() {
    const now = instantFromMs(Date.now());
    assert(now.ok, "the system clock shows a year between 0 and 9999");
    return now.value;
  },
};

/** The zone this machine's clock shows. Finding it out loads a calendar, so it is asked for only when a schedule needs it. */
export const systemZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const systemRandomness: Randomness = { bytes: (count) => randomBytes(count) };

/** Waiting never keeps a process alive by itself: what must happen before the end is awaited, not timed. */
export const systemTimers: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
