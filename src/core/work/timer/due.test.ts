import { describe, expect, test } from "vitest";
import { instantFromMs, LIMITS, msOfInstant, type Instant } from "#base";
import { planTimer, type TimerFacts, type Timetable } from "./due.ts";

const START_MS = Date.UTC(2026, 10, 16, 8);
const GRACE_MS = 20_000;

/** So many minutes and milliseconds after the first time that is due. */
function moment(minutes: number, ms = 0): Instant {
  const at = instantFromMs(START_MS + minutes * 60_000 + ms);
  if (!at.ok) throw new Error("a moment");
  return at.value;
}

const minutesAt = (at: Instant): number => (msOfInstant(at) - START_MS) / 60_000;
const EVERY_MINUTE: Timetable = {
  next: (after) => moment(Math.floor(minutesAt(after)) + 1),
  last: (upTo) => moment(Math.floor(minutesAt(upTo))),
};

const plan = (facts: Partial<TimerFacts>) =>
  planTimer({
    schedule: { kind: "cron", cron: "* * * * *" },
    timetable: EVERY_MINUTE,
    nextDue: moment(0),
    plannedAt: moment(0),
    busyUntil: null,
    at: moment(0),
    policy: "once",
    graceMs: GRACE_MS,
    ...facts,
  });

describe("when a goal is due", () => {
  test("a time is waited for until it has come", () => {
    expect(plan({ at: moment(0, -1) })).toEqual({ kind: "wait" });
    expect(plan({ at: moment(0) })).toMatchObject({ kind: "check", due: moment(0), nextDue: moment(1) });
  });

  test("the only time that was due is checked, and none was skipped before it", () => {
    expect(plan({ at: moment(0) })).toMatchObject({ due: moment(0), skipped: null });
    expect(plan({ at: moment(1) })).toMatchObject({
      due: moment(1),
      skipped: { count: 1, since: moment(0), until: moment(0) },
    });
  });

  test.each(["once", "all"] as const)("lateness up to the grace is none, with the policy %s", (policy) => {
    expect(plan({ policy, at: moment(0, GRACE_MS) })).toMatchObject({ kind: "check", trigger: "schedule" });
    expect(plan({ policy, at: moment(0, GRACE_MS + 1) })).toMatchObject({ kind: "check", trigger: "missed" });
  });

  test("a clock that was set back by more than the grace makes times come again", () => {
    const plannedAt = moment(5);
    const nextDue = moment(6);
    expect(plan({ plannedAt, nextDue, at: moment(5, -GRACE_MS) })).toEqual({ kind: "wait" });
    expect(plan({ plannedAt, nextDue, at: moment(5, -GRACE_MS - 1) })).toEqual({ kind: "replan", nextDue: moment(5) });
  });

  test("fewer times than the limit are made up for one by one, and from the limit on only the last is", () => {
    const { duesCounted } = LIMITS;
    expect(plan({ policy: "all", at: moment(duesCounted - 2) })).toMatchObject({ due: moment(0), skipped: null });
    expect(plan({ policy: "all", at: moment(duesCounted - 1) })).toMatchObject({
      due: moment(duesCounted - 1),
      skipped: { count: duesCounted - 1, since: moment(0), until: moment(duesCounted - 2) },
    });
  });

  test("times that were skipped are counted up to the limit", () => {
    const skipped = (minutes: number) => plan({ policy: "skip", at: moment(minutes, GRACE_MS + 1) });
    expect(skipped(LIMITS.duesCounted - 2)).toMatchObject({ skipped: { count: LIMITS.duesCounted - 1 } });
    expect(skipped(LIMITS.duesCounted + 7)).toMatchObject({ skipped: { count: LIMITS.duesCounted } });
  });
});
