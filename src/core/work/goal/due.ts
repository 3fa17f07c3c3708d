import { assert, instantFromMs, LIMITS, msOfInstant, type Instant } from "#base";
import type { CycleTrigger } from "#model";

/** When a schedule is due, as the calendar of its time zone says. It is given to core, which holds no calendar. */
export type Timetable = {
  /** The first time after this one; null when there is none any more. */
  next(after: Instant): Instant | null;
  /** The last time up to this one; null when there was none. */
  last(upTo: Instant): Instant | null;
};

export type MissedPolicy = "once" | "all" | "skip" | "ask";
export type DueFacts = {
  readonly timetable: Timetable;
  readonly nextDue: Instant | null;
  /** The latest time that was looked after; null for a goal that never was due. */
  readonly lastDue: Instant | null;
  readonly at: Instant;
  readonly policy: MissedPolicy;
  /** Lateness up to which nothing counts as missed. */
  readonly graceMs: number;
};

/** Times that pass without a check, from the first to the last of them. */
export type SkippedDues = { readonly count: number; readonly since: Instant; readonly until: Instant };
export type DuePlan =
  | { readonly kind: "wait" }
  /** One cycle for this time; `nextDue` is when to look again. */
  | {
      readonly kind: "check";
      readonly due: Instant;
      readonly trigger: CycleTrigger;
      readonly skipped: SkippedDues | null;
      readonly nextDue: Instant | null;
    }
  /** Nothing is checked; the owner is told, or asked whether it should be. */
  | { readonly kind: "skip" | "ask"; readonly skipped: SkippedDues; readonly nextDue: Instant | null }
  /** The clock was set back: what was planned lies too far ahead. */
  | { readonly kind: "replan"; readonly nextDue: Instant | null };

/**
 * What is to be done about a goal now. INVARIANT: a time that was due is checked once or said to be skipped, never both,
 * and never twice; only a clock that was set back by more than the grace makes times come again.
 */
export function planDue({ timetable, nextDue, lastDue, at, policy, graceMs }: DueFacts): DuePlan {
  if (lastDue !== null && msOfInstant(lastDue) - msOfInstant(at) > graceMs) {
    return { kind: "replan", nextDue: timetable.next(at) };
  }
  if (nextDue === null || nextDue > at) return { kind: "wait" };
  const latest = timetable.last(at) ?? nextDue;
  if (policy === "all") return checkEach({ timetable, nextDue, at, graceMs });
  const isMissed = msOfInstant(at) - msOfInstant(latest) > graceMs;
  const after = timetable.next(at);
  if (isMissed && policy !== "once") {
    return { kind: policy, skipped: skippedDues(timetable, { from: nextDue, until: latest }), nextDue: after };
  }
  const before = nextDue < latest ? { from: nextDue, until: timetable.last(justBefore(latest)) ?? nextDue } : null;
  return {
    kind: "check",
    due: latest,
    trigger: isMissed ? "missed" : "schedule",
    skipped: before === null ? null : skippedDues(timetable, before),
    nextDue: after,
  };
}

type Each = Pick<DueFacts, "timetable" | "at" | "graceMs"> & { readonly nextDue: Instant };

/** The oldest first, and the next one when it is over. More than a limit of them are not made up for. */
function checkEach({ timetable, nextDue, at, graceMs }: Each): DuePlan {
  const left = countDues(timetable, { from: nextDue, until: at });
  const isTooMany = left >= LIMITS.duesCounted;
  const due = isTooMany ? (timetable.last(at) ?? nextDue) : nextDue;
  const skipped = isTooMany
    ? skippedDues(timetable, { from: nextDue, until: timetable.last(justBefore(due)) ?? nextDue })
    : null;
  const isMissed = msOfInstant(at) - msOfInstant(due) > graceMs;
  return { kind: "check", due, trigger: isMissed ? "missed" : "schedule", skipped, nextDue: timetable.next(due) };
}

type Span = { readonly from: Instant; readonly until: Instant };

/** The times of a span whose first and last are times themselves. */
function skippedDues(timetable: Timetable, { from, until }: Span): SkippedDues {
  return { count: countDues(timetable, { from, until }), since: from, until };
}

/** Counted up to a limit: after months away the span says more than its number. */
function countDues(timetable: Timetable, { from, until }: Span): number {
  let count = 0;
  for (let due: Instant | null = from; due !== null && due <= until; due = timetable.next(due)) {
    count += 1;
    if (count >= LIMITS.duesCounted) break;
  }
  return count;
}

const justBefore = (at: Instant): Instant => {
  const before = instantFromMs(msOfInstant(at) - 1);
  assert(before.ok, "a time that is due lies within the calendar");
  return before.value;
};
