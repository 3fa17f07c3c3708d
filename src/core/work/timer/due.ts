import { assert, instantFromMs, LIMITS, msOfInstant, type Instant } from "#base";
import type { CycleTrigger, MissedPolicy, TimerSchedule } from "#model";

/** When a schedule is due, as the calendar of its time zone says. It is given to core, which holds no calendar. */
export type Timetable = {
  /** The first time after this one; null when there is none any more. */
  next(after: Instant): Instant | null;
  /** The last time up to this one; null when there was none. */
  last(upTo: Instant): Instant | null;
};

export type TimerFacts = {
  readonly schedule: TimerSchedule;
  readonly timetable: Timetable;
  readonly nextDue: Instant | null;
  /** When `nextDue` was computed, by the clock of that moment. */
  readonly plannedAt: Instant;
  /** When the last run for this timer ended, if its end is known. */
  readonly busyUntil: Instant | null;
  readonly at: Instant;
  readonly policy: MissedPolicy;
  /** Lateness up to which nothing counts as missed. */
  readonly graceMs: number;
};

/** Times that pass without a check, from the first to the last of them. */
type SkippedDues = { readonly count: number; readonly since: Instant; readonly until: Instant };
export type DuePlan =
  | { readonly kind: "wait" }
  /** One run for this time; `nextDue` is when to look again. */
  | {
      readonly kind: "check";
      readonly due: Instant;
      readonly trigger: CycleTrigger;
      readonly skipped: SkippedDues | null;
      readonly nextDue: Instant | null;
    }
  /** Nothing runs; the owner is told, or asked whether it should. */
  | { readonly kind: "skip" | "ask"; readonly skipped: SkippedDues; readonly nextDue: Instant | null }
  /** The clock was set back: what was planned lies too far ahead. */
  | { readonly kind: "replan"; readonly nextDue: Instant | null };

/**
 * What is to be done about a timer now. Times that fell into a run which was not over were not missed: one run makes up
 * for them, whatever the policy. INVARIANT: only a clock that was set back by more than the grace makes times come again:
 * what it had planned is planned anew. [TIMER-06]
 */
export function planTimer(facts: TimerFacts): DuePlan {
  const { schedule, timetable, nextDue, plannedAt, at, graceMs, busyUntil } = facts;
  if (schedule.kind === "every") return planEvery(facts, schedule.minutes * MINUTE_MS);
  const isAhead = msOfInstant(plannedAt) - msOfInstant(at) > graceMs;
  if (isAhead && nextDue !== null && schedule.kind === "cron") return { kind: "replan", nextDue: timetable.next(at) };
  const latest = timetable.last(at);
  const isBusy = busyUntil !== null && latest !== null && latest <= busyUntil;
  return planDue({ ...facts, policy: isBusy ? "once" : facts.policy });
}

const MINUTE_MS = 60_000;

/** An interval begins when the last run was due to begin, so that no time of it can be missed: a late run is that run. */
function planEvery({ nextDue, at }: TimerFacts, everyMs: number): DuePlan {
  const after = instantFromMs(msOfInstant(at) + everyMs);
  assert(after.ok, "an interval ends within the calendar");
  if (nextDue === null) return { kind: "wait" };
  if (nextDue > after.value) return { kind: "replan", nextDue: after.value };
  if (nextDue > at) return { kind: "wait" };
  return { kind: "check", due: nextDue, trigger: "schedule", skipped: null, nextDue: after.value };
}

/** INVARIANT: a time that was due is run once or recorded as skipped, never both and never twice. */
function planDue({ timetable, nextDue, at, policy, graceMs }: TimerFacts): DuePlan {
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

type Each = Pick<TimerFacts, "timetable" | "at" | "graceMs"> & { readonly nextDue: Instant };

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
