import type { Instant } from "#base";

/**
 * The limits of what Silas does without asking that an approval may change: these five and no others. A limit has a value
 * in text, as it stands on a card, and a width: the larger, the more happens without a question. [AUTO-09]
 */
export const LIMIT_KEYS = [
  "standing.scope",
  "standing.max_executions",
  "standing.expires_at",
  "batch_review.default_size",
  "batch_review.confidence.high_min",
] as const;
export type LimitKey = (typeof LIMIT_KEYS)[number];
export type Direction = "widen" | "tighten";

/** A change as it is proposed and signed. */
export type LimitChange = {
  readonly key: LimitKey;
  readonly current_value: string;
  readonly proposed_value: string;
  readonly direction: Direction;
};

/** The value of each limit, as the configuration says it or as it counts now. */
export type LimitValues = { readonly [K in LimitKey]: string };

/** What no widening goes beyond, however many are approved. [AUTO-10] */
export type LimitBounds = {
  readonly standingUsesMax: number;
  readonly batchSizeMax: number;
  readonly highConfidenceMin: number;
};

/** A change that was approved and counts as long as the configuration says what it said then. */
export type AppliedLimit = {
  readonly key: LimitKey;
  readonly from: string;
  readonly to: string;
  /** What the configuration said when it was approved. */
  readonly configured: string;
  readonly requestId: string;
  readonly tokenId: string;
  readonly at: Instant;
  /** Whether what was signed still says so; `broken` where a row was changed on the disk. */
  readonly proof: "holds" | "broken";
};

/** Why a change is not made. */
export type LimitFault =
  | "value_unreadable"
  | "not_a_change"
  | "direction_differs"
  | "over_cap"
  | "key_repeated"
  | "limit_moved";
export type LimitRefused = { readonly code: "limit_refused"; readonly key: LimitKey; readonly reason: LimitFault };

const WHOLE = /^[1-9]\d{0,5}$/;
const SHARE = /^(?:0(?:\.\d{1,17})?|1)$/;
const DAYS = /^P([1-9]\d{0,3})D$/;
/** A standing approval may stand as long as it says itself. */
export const NO_END = "none";

/** How much a value allows; null for a text that is no value of this limit. Lower certainty asks less, so it is wider. */
function widthOf(key: LimitKey, value: string): number | null {
  switch (key) {
    case "standing.scope":
      return value === "none" ? 0 : value === "repairs" ? 1 : null;
    case "standing.max_executions":
    case "batch_review.default_size":
      return WHOLE.test(value) ? Number(value) : null;
    case "standing.expires_at":
      return value === NO_END ? Number.POSITIVE_INFINITY : daysOf(value);
    case "batch_review.confidence.high_min":
      return SHARE.test(value) ? 1 - Number(value) : null;
  }
}

/** The days of `P30D`; null for anything else. */
export function daysOf(value: string): number | null {
  const days = DAYS.exec(value)?.[1];
  return days === undefined ? null : Number(days);
}

type Step = { readonly from: string; readonly to: string };

/** What a change does, by its effect and not by what it says of itself; null when it does nothing or cannot be read. */
export function directionOf(key: LimitKey, { from, to }: Step): Direction | null {
  const [before, after] = [widthOf(key, from), widthOf(key, to)];
  if (before === null || after === null) return null;
  if (after > before) return "widen";
  return after < before ? "tighten" : null;
}

/** Whether nothing of it lets Silas do more than before; what cannot be read does not count as that. */
export const onlyTightens = (changes: readonly LimitChange[]): boolean =>
  changes.every((change) => directionOf(change.key, stepOf(change)) === "tighten");

/** The first change that may not be made, and why: each limit once, by its true direction, and within the caps. */
export function limitFault(changes: readonly LimitChange[], bounds: LimitBounds): LimitRefused | null {
  const seen = new Set<LimitKey>();
  for (const change of changes) {
    const reason = seen.has(change.key) ? "key_repeated" : changeFault(change, bounds);
    if (reason !== null) return { code: "limit_refused", key: change.key, reason };
    seen.add(change.key);
  }
  return null;
}

function changeFault(change: LimitChange, bounds: LimitBounds): LimitFault | null {
  const { key, current_value: from, proposed_value: to } = change;
  const [before, after] = [widthOf(key, from), widthOf(key, to)];
  if (before === null || after === null) return "value_unreadable";
  if (before === after) return "not_a_change";
  if (directionOf(key, { from, to }) !== change.direction) return "direction_differs";
  return change.direction === "widen" && isOverCap(change, bounds) ? "over_cap" : null;
}

function isOverCap({ key, proposed_value: to }: LimitChange, bounds: LimitBounds): boolean {
  if (key === "standing.max_executions") return Number(to) > bounds.standingUsesMax;
  if (key === "batch_review.default_size") return Number(to) > bounds.batchSizeMax;
  return key === "batch_review.confidence.high_min" && Number(to) < bounds.highConfidenceMin;
}

const stepOf = ({ current_value: from, proposed_value: to }: LimitChange): Step => ({ from, to });

type Known = { readonly configured: LimitValues; readonly applied: readonly AppliedLimit[] };

/** Each limit as it counts. The file is the owner's: where it says something else than when a change was approved, it wins. */
export function effectiveLimits({ configured, applied }: Known): LimitValues {
  const value = (key: LimitKey): string => {
    const change = applied.find((one) => one.key === key);
    return change === undefined ? configured[key] : valueAfter(change, configured[key]);
  };
  return {
    "standing.scope": value("standing.scope"),
    "standing.max_executions": value("standing.max_executions"),
    "standing.expires_at": value("standing.expires_at"),
    "batch_review.default_size": value("batch_review.default_size"),
    "batch_review.confidence.high_min": value("batch_review.confidence.high_min"),
  };
}

/** What counts after a change; of one that is not proven any more only what narrows. */
export function valueAfter({ key, to, configured, proof }: AppliedLimit, says: string): string {
  if (configured !== says) return says;
  return proof === "holds" || directionOf(key, { from: says, to }) === "tighten" ? to : says;
}

/** What takes back every change that made a limit wider than the configuration has it, in the order of the limits. */
export function rollbackOf({ configured, applied }: Known): readonly LimitChange[] {
  const effective = effectiveLimits({ configured, applied });
  return LIMIT_KEYS.flatMap((key): readonly LimitChange[] => {
    const [from, to] = [effective[key], configured[key]];
    if (directionOf(key, { from, to }) !== "tighten") return [];
    return [{ key, current_value: from, proposed_value: to, direction: "tighten" }];
  });
}
