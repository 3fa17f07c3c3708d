import { msOfInstant, type Instant } from "#base";
import type { Fatigue, RiskLevel } from "#model";

/** Below this nobody has read what was decided. [FATIGUE-04] */
const FAST_MS = 1_000;
/** More than this many weighty requests at once are tapped through. [FATIGUE-05] */
const DENSE_ABOVE = 5;

export type Weighed = { readonly activeSince: Instant; readonly decidedAt: Instant };

/** How long the last decisions of at least medium risk took, from the card shown to the answer. [FATIGUE-03] */
export function fatigueOf(weighed: readonly Weighed[]): Fatigue {
  const times = weighed
    .map(({ activeSince, decidedAt }) => msOfInstant(decidedAt) - msOfInstant(activeSince))
    // A clock that was set back in between says nothing about anybody's haste.
    .filter((ms) => ms >= 0)
    .toSorted((a, b) => a - b);
  const medianMs = medianOf(times);
  return { medianMs, decisions: times.length, isFast: medianMs !== null && medianMs < FAST_MS };
}

/** Whether more weighty requests wait than anybody decides with care. */
export function isDense(pending: readonly { readonly riskLevel: RiskLevel }[]): boolean {
  return pending.filter(({ riskLevel }) => riskLevel !== "low").length > DENSE_ABOVE;
}

function medianOf(sorted: readonly number[]): number | null {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  const lower = sorted.length % 2 === 1 ? upper : (sorted[middle - 1] ?? upper);
  return (lower + upper) / 2;
}
