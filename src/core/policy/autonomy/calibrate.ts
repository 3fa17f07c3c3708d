import { assert, instantFromMs, msOfInstant, type Instant } from "#base";
import {
  daysOf,
  directionOf,
  LIMITS_OF_FAMILY,
  NO_END,
  type ActionFamily,
  type DecidedAction,
  type Direction,
  type EvidenceWindow,
  type LimitBounds,
  type LimitChange,
  type LimitKey,
  type LimitValues,
} from "#model";

/**
 * What the decisions of a family argue for. Nothing here changes a limit: it makes a proposal or none, and equal decisions
 * make equal ones. [AUTO-06] [AUTO-07] [AUTO-08]
 */
export type CalibrationSettings = {
  readonly minSamples: number;
  readonly windowActions: number;
  readonly windowDays: number;
  readonly widenBelow: number;
  readonly tightenAbove: number;
};

type Counting = {
  readonly at: Instant;
  /** The end of the last proposal of this family: what was counted for it is never counted again. Null before the first. */
  readonly since: Instant | null;
  readonly settings: CalibrationSettings;
};

const DAY_MS = 86_400_000;

/** The last actions, not older than so many days, that came after the last proposal. [AUTO-07] */
export function evidenceWindow(actions: readonly DecidedAction[], { at, since, settings }: Counting): EvidenceWindow {
  const oldest = instantFromMs(Math.max(0, msOfInstant(at) - settings.windowDays * DAY_MS));
  assert(oldest.ok, "a window begins within the calendar");
  const counted = actions
    .filter((action) => action.at >= oldest.value && action.at <= at && (since === null || action.at > since))
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, settings.windowActions);
  const counts = { approved: 0, edit_selection: 0, declined: 0, undo: 0 };
  for (const { outcome } of counted) counts[outcome] += 1;
  const sampleSize = counted.length;
  const corrected = counts.edit_selection + counts.declined + counts.undo;
  return {
    sampleSize,
    counts,
    correctionRate: sampleSize === 0 ? 0 : Math.round((corrected / sampleSize) * 10_000) / 10_000,
    from: counted.at(-1)?.at ?? null,
    to: counted[0]?.at ?? null,
  };
}

/** Between the two rates nothing is proposed; a rate that swings around one of them argues in one direction alone. */
export function directionFrom(
  { sampleSize, counts }: EvidenceWindow,
  { minSamples, widenBelow, tightenAbove }: CalibrationSettings,
): Direction | null {
  if (sampleSize < minSamples || sampleSize === 0) return null;
  // Of the counts and not of the rounded rate, which could lie on the other side of a limit.
  const rate = (sampleSize - counts.approved) / sampleSize;
  if (rate < widenBelow) return "widen";
  return rate > tightenAbove ? "tighten" : null;
}

type Stepping = {
  readonly family: ActionFamily;
  readonly direction: Direction;
  readonly values: LimitValues;
  readonly bounds: LimitBounds;
};

/** One step of each limit of the family; a limit that is at its end has none. [AUTO-10] */
export function stepChanges({ family, direction, values, bounds }: Stepping): readonly LimitChange[] {
  return LIMITS_OF_FAMILY[family].flatMap((key): readonly LimitChange[] => {
    const from = values[key];
    const to = STEPS[key](from, { direction, bounds });
    return directionOf(key, { from, to }) === direction
      ? [{ key, current_value: from, proposed_value: to, direction }]
      : [];
  });
}

type Going = Pick<Stepping, "direction" | "bounds">;

const STEPS: { readonly [K in LimitKey]: (from: string, going: Going) => string } = {
  // Whether approvals stand at all is never argued by a count.
  "standing.scope": (from) => from,
  "standing.max_executions": (from, { direction, bounds }) =>
    countStep(from, { direction, most: bounds.standingUsesMax }),
  "standing.expires_at": (from, { direction }) => daysStep(from, direction),
  "batch_review.default_size": (from, { direction, bounds }) =>
    countStep(from, { direction, most: bounds.batchSizeMax }),
  "batch_review.confidence.high_min": (from, { direction, bounds }) => {
    const to = Number(from) + (direction === "widen" ? -SURE_STEP : SURE_STEP);
    const within = direction === "widen" ? Math.max(bounds.highConfidenceMin, to) : Math.min(SUREST, to);
    return String(Math.round(within * 10_000) / 10_000);
  },
};

const SURE_STEP = 0.05;
/** Of more than this nothing that goes by rules is sure. */
const SUREST = 0.95;
/** What the first tightening makes of approvals without an end of their own, and the most a step leads to. */
const FIRST_DAYS = 90;
const DAYS_MOST = 365;

function countStep(
  from: string,
  { direction, most }: { readonly direction: Direction; readonly most: number },
): string {
  const count = Number(from);
  return String(direction === "widen" ? Math.min(most, Math.ceil(count * 1.5)) : Math.max(1, Math.floor(count / 2)));
}

function daysStep(from: string, direction: Direction): string {
  const days = daysOf(from);
  if (days === null) return direction === "tighten" && from === NO_END ? `P${FIRST_DAYS}D` : from;
  return `P${direction === "widen" ? Math.min(DAYS_MOST, days * 2) : Math.max(1, Math.floor(days / 2))}D`;
}
