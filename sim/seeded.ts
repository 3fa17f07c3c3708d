import { assert, instantFromMs, msOfInstant, type Instant } from "#base";
import type { Clock, Randomness, Timers } from "#ports";

/** All chance of a simulation, from one number. */
export type Seeded = Randomness & {
  /** A whole number from 0 up to, and without, the bound. */
  readonly below: (bound: number) => number;
  readonly pick: <T>(values: readonly T[]) => T;
};

export function createSeeded(seed: number): Seeded {
  let state = seed >>> 0;
  // Mulberry32: small, quick, and the same on every machine.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (bound: number): number => {
    assert(bound >= 1, "a choice has at least one outcome");
    return next() % bound;
  };
  return {
    below,
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
    pick: (values) => {
      const value = values[below(values.length)];
      assert(value !== undefined, "a choice has at least one outcome");
      return value;
    },
  };
}

export type VirtualClock = Clock & {
  /** Moves time, also backwards: real clocks do that. */
  readonly moveMs: (ms: number) => void;
};

export function createVirtualClock(startMs: number): VirtualClock {
  let nowMs = startMs;
  return {
    now: (): Instant => {
      const instant = instantFromMs(nowMs);
      assert(instant.ok, "virtual time stays within the calendar");
      return instant.value;
    },
    moveMs: (ms) => {
      nowMs += ms;
    },
  };
}

export type VirtualTimers = Timers & {
  /** Moves the clock to the next timer and lets it run; false when there is none before the end. */
  next(endMs: number): boolean;
  isArmed(): boolean;
};

export function createVirtualTimers(clock: VirtualClock): VirtualTimers {
  const waiting = new Set<{ readonly atMs: number; readonly work: () => void }>();
  const nowMs = (): number => msOfInstant(clock.now());
  return {
    after(delayMs, work) {
      const one = { atMs: nowMs() + delayMs, work };
      waiting.add(one);
      return () => void waiting.delete(one);
    },
    isArmed: () => waiting.size > 0,
    next(endMs) {
      const [first] = [...waiting].toSorted((a, b) => a.atMs - b.atMs);
      if (first === undefined || first.atMs > endMs) return false;
      waiting.delete(first);
      clock.moveMs(Math.max(0, first.atMs - nowMs()));
      first.work();
      return true;
    },
  };
}
