import { describe, expect, test } from "vitest";
import type { Instant, LocalDate } from "#base";
import {
  instantOf,
  instantOfWall,
  localDateOf,
  minutesInto,
  minutesOfTime,
  momentOf,
  timeOfMinutes,
  wallOf,
} from "./clock.ts";
import { duration, minutesText, parseMinutes, relativeDate, stopwatch } from "./format.ts";

const day = (text: string): LocalDate => text as LocalDate;

describe("lengths of time", () => {
  test.each([
    ["30m", 30],
    ["1h", 60],
    ["1h 30m", 90],
    ["1.5h", 90],
    ["90", 90],
    ["2 hours", 120],
    ["45 min", 45],
    ["soon", null],
    ["", null],
    ["h", null],
  ])("%j is %j minutes", (text, minutes) => {
    expect(parseMinutes(text)).toBe(minutes);
  });

  test("what is shown in a field is read back as the same length", () => {
    for (const minutes of [0, 5, 59, 60, 61, 90, 600, 1234]) expect(parseMinutes(minutesText(minutes))).toBe(minutes);
    expect(minutesText(null)).toBe("");
  });

  test("a duration names its units, a stopwatch counts", () => {
    expect([duration(0), duration(20), duration(60), duration(3600), duration(5400)]).toEqual([
      "0 min",
      "20 s",
      "1 min",
      "1 h",
      "1 h 30 min",
    ]);
    expect([stopwatch(0), stopwatch(59), stopwatch(3661), stopwatch(-5)]).toEqual([
      "0:00:00",
      "0:00:59",
      "1:01:01",
      "0:00:00",
    ]);
  });
});

describe("days", () => {
  test("days near by have names, others a date", () => {
    expect(relativeDate(day("2026-11-15"), day("2026-11-15"))).toBe("Today");
    expect(relativeDate(day("2026-11-16"), day("2026-11-15"))).toBe("Tomorrow");
    expect(relativeDate(day("2026-11-14"), day("2026-11-15"))).toBe("Yesterday");
    expect(relativeDate(day("2027-11-14"), day("2026-11-15"))).toContain("2027");
  });

  test("a wall-clock time and its moment are the same both ways, and a day may end at 24:00", () => {
    for (const minutes of [0, 15, 540, 1425]) {
      expect(minutesInto(day("2026-11-15"), instantOf("2026-11-15", minutes))).toBe(minutes);
      expect(minutesOfTime(timeOfMinutes(minutes))).toBe(minutes);
    }
    for (const wall of ["2026-11-15T00:00", "2026-02-28T23:59"]) expect(wallOf(instantOfWall(wall))).toBe(wall);
    expect(minutesInto(day("2026-11-15"), instantOf("2026-11-15", 1440))).toBe(1440);
    expect(localDateOf(momentOf("2026-02-28", 1440))).toBe("2026-03-01");
    expect(instantOf("2026-11-15", 0) as Instant).toMatch(/Z$/);
  });
});
