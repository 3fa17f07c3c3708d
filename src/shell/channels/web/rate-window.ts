import { LIMITS, msOfInstant } from "#base";
import type { Clock } from "#ports";

type RateVerdict = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterMs: number };

export interface RateWindow {
  /** Counts one use of the key if it may happen now. A refused use is not counted. */
  take(key: string): RateVerdict;
}

const WINDOW_MS = 60_000;

/**
 * At most `perMinute` uses per key in any 60 seconds. Keys never share anything, so that one scope at its limit slows
 * no other. [LIM-07]
 */
export function createRateWindow({ perMinute, clock }: { perMinute: number; clock: Clock }): RateWindow {
  const timesByKey = new Map<string, number[]>();
  return {
    take(key) {
      const nowMs = msOfInstant(clock.now());
      const times = freshTimes(timesByKey.get(key) ?? [], nowMs);
      // Re-inserting keeps the map in order of last use, so the first key is the one to forget.
      timesByKey.delete(key);
      timesByKey.set(key, times);
      if (timesByKey.size > LIMITS.rateKeysMax) forgetOldest(timesByKey);
      const oldest = times[0];
      if (times.length >= perMinute && oldest !== undefined) {
        return { allowed: false, retryAfterMs: oldest + WINDOW_MS - nowMs };
      }
      times.push(nowMs);
      return { allowed: true };
    },
  };
}

function freshTimes(times: readonly number[], nowMs: number): number[] {
  // A clock that was set back would lock the key out until it catches up; counting starts anew instead.
  if ((times.at(-1) ?? nowMs) > nowMs) return [];
  return times.filter((time) => time > nowMs - WINDOW_MS);
}

function forgetOldest(timesByKey: Map<string, number[]>): void {
  const oldest = timesByKey.keys().next();
  if (!oldest.done) timesByKey.delete(oldest.value);
}
