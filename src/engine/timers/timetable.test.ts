import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { depth } from "../../../test/depth.ts";
import { instantFromMs, msOfInstant, type Instant } from "#base";
import type { MissedPolicy } from "#model";
import { planTimer, type DuePlan, type Timetable } from "#work";
import { loadTimetable } from "./timetable.ts";

const at = (text: string): Instant => text as Instant;
const instant = (ms: number): Instant => {
  const made = instantFromMs(ms);
  if (!made.ok) throw new Error("no instant");
  return made.value;
};

/** What a calendar needs to know besides its times. */
const CRON = { schedule: { kind: "cron", cron: "0 * * * *" }, busyUntil: null } as const;

/** The next times after a moment. */
async function times(
  schedule: string,
  { zone, from, count }: { zone: string; from: string; count: number },
): Promise<string[]> {
  const timetable = await loadTimetable(schedule, zone);
  const found: string[] = [];
  for (let due = timetable.next(at(from)); due !== null && found.length < count; due = timetable.next(due)) {
    found.push(due);
  }
  return found;
}

describe("a schedule", () => {
  test("follows the clock of its zone: in the missing hour at its end, in the repeated one once", async () => {
    const berlin = { zone: "Europe/Berlin", count: 3 };
    expect(await times("30 2 * * *", { ...berlin, from: "2027-03-27T00:00:00.000Z" })).toEqual([
      "2027-03-27T01:30:00.000Z",
      "2027-03-28T01:00:00.000Z",
      "2027-03-29T00:30:00.000Z",
    ]);
    expect(await times("30 2 * * *", { ...berlin, from: "2026-10-24T00:00:00.000Z" })).toEqual([
      "2026-10-24T00:30:00.000Z",
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ]);
    expect(await times("0 * * * *", { ...berlin, from: "2026-10-24T23:30:00.000Z" })).toEqual([
      "2026-10-25T00:00:00.000Z",
      "2026-10-25T01:00:00.000Z",
      "2026-10-25T02:00:00.000Z",
    ]);
  });

  test("of every minute is due every minute, whatever the clocks do; always_on too; none is never due", async () => {
    for (const schedule of ["* * * * *", "always_on", "*/1 * * * *"]) {
      expect(await times(schedule, { zone: "Europe/Berlin", from: "2026-10-25T00:59:00.500Z", count: 2 })).toEqual([
        "2026-10-25T01:00:00.000Z",
        "2026-10-25T01:01:00.000Z",
      ]);
    }
    expect((await loadTimetable(null, "UTC")).next(at("2026-10-25T00:59:00.500Z"))).toBeNull();
    expect((await loadTimetable("0 0 31 2 *", "UTC")).next(at("2026-10-25T00:59:00.500Z"))).toBeNull();
  });
});

const MINUTE = 60_000;
const START = msOfInstant(at("2026-10-24T00:00:00.000Z"));
const ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe"];
const SCHEDULES = ["* * * * *", "*/20 * * * *", "5 * * * *", "30 2 * * *", "0 6 * * 1-5", "*/7 2 * * *"];

const TABLES = new Map(
  await Promise.all(
    SCHEDULES.flatMap((schedule) =>
      ZONES.map(async (zone) => [`${schedule} ${zone}`, await loadTimetable(schedule, zone)] as const),
    ),
  ),
);
function tableOf({ schedule, zone }: Pick<Life, "schedule" | "zone">): Timetable {
  const table = TABLES.get(`${schedule} ${zone}`);
  if (table === undefined) throw new Error("no timetable");
  return table;
}

/** A life of one goal: ever later looks at the clock, with leaps and pauses. */
type Lived = { readonly checked: string[]; readonly skipped: [string, string][]; readonly asked: number };

function live(policy: MissedPolicy, { schedule, zone, steps }: Life): Lived {
  const timetable = tableOf({ schedule, zone });
  const graceMs = 5 * MINUTE;
  let nowMs = START;
  let nextDue = timetable.next(instant(nowMs));
  let lastDue: Instant | null = null;
  const lived: { checked: string[]; skipped: [string, string][]; asked: number } = {
    checked: [],
    skipped: [],
    asked: 0,
  };
  for (const step of steps) {
    nowMs += step;
    for (let turns = 0; turns < 600; turns += 1) {
      const plan: DuePlan = planTimer({
        ...CRON,
        timetable,
        nextDue,
        plannedAt: lastDue ?? instant(nowMs),
        at: instant(nowMs),
        policy,
        graceMs,
      });
      if (plan.kind === "wait") break;
      nextDue = plan.nextDue;
      if (plan.kind === "replan") {
        lastDue = null;
        continue;
      }
      if (plan.skipped !== null) lived.skipped.push([plan.skipped.since, plan.skipped.until]);
      if (plan.kind === "ask") lived.asked += 1;
      lastDue = plan.kind === "check" ? plan.due : plan.skipped.until;
      if (plan.kind === "check") lived.checked.push(plan.due);
    }
  }
  return lived;
}
type Life = { readonly schedule: string; readonly zone: string; readonly steps: readonly number[] };

const life = (step: fc.Arbitrary<number>) =>
  fc.record({
    schedule: fc.constantFrom(...SCHEDULES),
    zone: fc.constantFrom(...ZONES),
    steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  });
const FORWARD = fc.oneof(
  fc.integer({ min: 1, max: 3 * MINUTE }),
  fc.integer({ min: 1, max: 90 * MINUTE }),
  fc.integer({ min: 1, max: 36 * 60 * MINUTE }),
);

/** Several steps back in a row are one large step: together they stay within the limit. */
function setBackAtMost(limitMs: number, steps: readonly number[]): readonly number[] {
  let [latest, now] = [0, 0];
  return steps.map((step) => {
    const next = Math.max(now + step, latest - limitMs);
    const taken = next - now;
    [latest, now] = [Math.max(latest, next), next];
    return taken;
  });
}

describe("what is due", () => {
  test("is checked once or said to be skipped: never twice, never lost, in any zone, with any policy and any leap forward", () => {
    fc.assert(
      fc.property(fc.constantFrom<MissedPolicy>("once", "all", "skip", "ask"), life(FORWARD), (policy, one) => {
        const lived = live(policy, one);
        expect(new Set(lived.checked).size).toBe(lived.checked.length);
        // Every time of the schedule is either checked or inside of a span that was skipped, and in one of them only.
        const timetable = tableOf(one);
        const endMs = START + one.steps.reduce((sum, step) => sum + step, 0);
        const checked = new Set(lived.checked);
        const spans = lived.skipped.toSorted();
        let place = 0;
        for (let due = timetable.next(instant(START)), seen = 0; due !== null && seen < 800; seen += 1) {
          if (msOfInstant(due) > endMs) break;
          while (place < spans.length && (spans[place]?.[1] ?? "") < due) place += 1;
          const [since = "~", until = ""] = spans[place] ?? [];
          const isSkipped = since <= due && due <= until;
          expect(isSkipped !== checked.has(due), `${due} of ${one.schedule} in ${one.zone}`).toBe(true);
          due = timetable.next(due);
        }
      }),
      { numRuns: depth({ sample: 10, every: 40 }) },
    );
  });

  test("a clock that is set back a little repeats nothing, and one that is set back far goes on from what it shows", async () => {
    fc.assert(
      fc.property(life(fc.oneof(FORWARD, fc.integer({ min: -4 * MINUTE, max: 0 }))), (one) => {
        const lived = live("once", { ...one, steps: setBackAtMost(4 * MINUTE, one.steps) });
        expect(new Set(lived.checked).size).toBe(lived.checked.length);
      }),
      { numRuns: depth({ sample: 10, every: 40 }) },
    );
    const timetable = await loadTimetable("0 * * * *", "UTC");
    const facts = {
      timetable,
      ...CRON,
      nextDue: at("2036-01-01T01:00:00.000Z"),
      plannedAt: at("2036-01-01T00:00:00.000Z"),
      policy: "once",
      graceMs: 5 * MINUTE,
    } as const;
    expect(planTimer({ ...facts, at: at("2026-11-10T09:30:00.000Z") })).toEqual({
      kind: "replan",
      nextDue: "2026-11-10T10:00:00.000Z",
    });
  });

  test("after hours away: once makes up for all, all for each, skip for none, ask waits; within the grace nothing is missed", async () => {
    const timetable = await loadTimetable("0 * * * *", "UTC");
    const nextDue = at("2026-11-10T09:00:00.000Z");
    const now = at("2026-11-10T12:30:00.000Z");
    const facts = { ...CRON, timetable, nextDue, plannedAt: nextDue, at: now, graceMs: 5 * MINUTE };
    const spanned = (count: number, until: string) => ({ count, since: nextDue, until });
    const after = "2026-11-10T13:00:00.000Z";
    expect(planTimer({ ...facts, policy: "once" })).toEqual({
      kind: "check",
      due: "2026-11-10T12:00:00.000Z",
      trigger: "missed",
      skipped: spanned(3, "2026-11-10T11:00:00.000Z"),
      nextDue: after,
    });
    expect(planTimer({ ...facts, policy: "all" })).toMatchObject({
      due: nextDue,
      skipped: null,
      nextDue: "2026-11-10T10:00:00.000Z",
    });
    const skipped = spanned(4, "2026-11-10T12:00:00.000Z");
    expect(planTimer({ ...facts, policy: "skip" })).toEqual({ kind: "skip", skipped, nextDue: after });
    expect(planTimer({ ...facts, policy: "ask" })).toEqual({ kind: "ask", skipped, nextDue: after });
    expect(planTimer({ ...facts, at: at("2026-11-10T12:04:00.000Z"), policy: "skip" })).toMatchObject({
      kind: "check",
      trigger: "schedule",
    });
  });
});
