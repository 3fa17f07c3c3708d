import { assert, instantFromMs, type Instant } from "#base";
import type { Clock, Randomness } from "#ports";

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
