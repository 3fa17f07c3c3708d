import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Instant, LocalDate } from "#base";
import {
  instantAt,
  parseDay,
  parseDuration,
  parseMoment,
  showDay,
  showMinutes,
  showMoment,
  type HereAndNow,
} from "./local-time.ts";

const zoneBefore = process.env["TZ"];
beforeAll(() => {
  process.env["TZ"] = "Europe/Vienna";
});
afterAll(() => {
  if (zoneBefore === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zoneBefore;
});

const here: HereAndNow = {
  now: "2026-11-15T23:30:00.000Z" as Instant,
  today: "2026-11-16" as LocalDate,
  zone: "Europe/Vienna",
};

describe("days and moments as people type them", () => {
  test.each([
    ["today", "2026-11-16"],
    ["Tomorrow", "2026-11-17"],
    ["yesterday", "2026-11-15"],
    ["+3", "2026-11-19"],
    ["-6", "2026-11-10"],
    ["2024-02-29", "2024-02-29"],
  ])("%s is the day %s", (text, day) => expect(parseDay(text, here)).toBe(day));

  test.each(["2026-02-30", "", "someday", "2026-11-15x"])("%j is no day", (text) => {
    expect(() => parseDay(text, here)).toThrow(/is not a day/);
  });

  test.each([
    ["now", "2026-11-15T23:30:00.000Z"],
    ["09:30", "2026-11-16T08:30:00.000Z"],
    ["9:30", "2026-11-16T08:30:00.000Z"],
    ["yesterday 21:00", "2026-11-15T20:00:00.000Z"],
    ["2026-07-01 12:00", "2026-07-01T10:00:00.000Z"],
    ["2026-07-01T12:00", "2026-07-01T10:00:00.000Z"],
    ["-30m", "2026-11-15T23:00:00.000Z"],
    ["2026-07-01T12:00:00+05:30", "2026-07-01T06:30:00.000Z"],
  ])("%s is the moment %s in Vienna", (text, instant) => expect(parseMoment(text, here)).toBe(instant));

  test.each(["25:00", "12:60", "noon", "2026-13-01 10:00", "-", "- 5"])("%j is no moment", (text) => {
    expect(() => parseMoment(text, here)).toThrow(/is not a moment/);
  });

  test("a time that the clock change skips is the moment after the gap", () => {
    expect(instantAt("2026-03-29" as LocalDate, { hour: 2, minute: 30 })).toBe("2026-03-29T01:30:00.000Z");
  });

  test("a moment is shown on the owner's own day", () => {
    expect(showDay(here.now)).toBe("2026-11-16");
    expect(showMoment(here.now)).toBe("2026-11-16 00:30");
  });

  test.each([
    ["30m", 30],
    ["1h", 60],
    ["1h30m", 90],
    ["1.5h", 90],
    ["90", 90],
    ["45min", 45],
  ])("%s is %d minutes", (text, minutes) => expect(parseDuration(text)).toBe(minutes));

  test.each(["", "h", "m", "-5", "1d", "1h30"])("%j is no duration", (text) => {
    expect(() => parseDuration(text)).toThrow(/is not a duration/);
  });

  test("durations read back", () => expect([5, 60, 90].map(showMinutes)).toEqual(["5m", "1h", "1h30m"]));
});
