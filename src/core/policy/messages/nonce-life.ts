import { assert, instantFromMs, msOfInstant, type Instant } from "#base";

export type NonceWindow = {
  /** How long nonces are kept. */
  readonly ttlMs: number;
  /** How far a signed time may be from now, either way. */
  readonly freshnessMs: number;
};

/**
 * Nonces recorded before this moment may be forgotten. A message that was signed with a time ahead stays fresh for twice
 * the window after it came, so however short the configured life is, a nonce lives at least that long. [NONCE-06]
 */
export function pruneBefore(at: Instant, { ttlMs, freshnessMs }: NonceWindow): Instant {
  return moved(at, -Math.max(ttlMs, 2 * freshnessMs));
}

/**
 * The earliest moment at which a message signed at this time can have been accepted before. If nonces from then were
 * forgotten already, as after a clock that ran ahead, nobody can say that it is new.
 */
export const earliestSpending = (timestamp: Instant, { freshnessMs }: NonceWindow): Instant =>
  moved(timestamp, -freshnessMs);

function moved(at: Instant, ms: number): Instant {
  const result = instantFromMs(Math.max(msOfInstant(at) + ms, 0));
  assert(result.ok, "a moment some minutes before now is in the calendar");
  return result.value;
}
