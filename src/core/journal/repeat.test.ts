import { describe, expect, test } from "vitest";
import type { LocalDate } from "#base";
import type { Repeat } from "#model";
import { nextDue } from "./repeat.ts";

const rule = (given: Partial<Repeat>): Repeat => ({ every: 1, unit: "day", weekdays: [], from: "due", ...given });
const next = (repeat: Partial<Repeat>, dueDate: string, today = dueDate) =>
  nextDue({ repeat: rule(repeat), dueDate: dueDate as LocalDate, today: today as LocalDate })?.dueDate;

describe("the next date of a repeating task", () => {
  test.each([
    [{ unit: "day" }, "2026-11-15", "2026-11-15", "2026-11-16"],
    [{ unit: "day", every: 3 }, "2026-11-10", "2026-11-15", "2026-11-16"],
    [{ unit: "day" }, "2026-11-10", "2026-11-15", "2026-11-15"],
    [{ unit: "day", from: "done", every: 3 }, "2026-11-10", "2026-11-15", "2026-11-18"],
    [{ unit: "day", from: "done" }, "2026-11-20", "2026-11-15", "2026-11-16"],
    [{ unit: "week" }, "2026-11-15", "2026-11-15", "2026-11-22"],
    [{ unit: "week", every: 2 }, "2026-10-01", "2026-11-15", "2026-11-26"],
    [{ unit: "week", weekdays: [1, 3, 5] }, "2026-11-16", "2026-11-16", "2026-11-18"],
    [{ unit: "week", weekdays: [5, 1] }, "2026-11-20", "2026-11-20", "2026-11-23"],
    [{ unit: "week", weekdays: [1], every: 2 }, "2026-11-16", "2026-11-16", "2026-11-30"],
    [{ unit: "week", weekdays: [1, 4], every: 2 }, "2026-11-16", "2026-11-16", "2026-11-19"],
    [{ unit: "week", weekdays: [1], every: 2 }, "2026-11-02", "2026-11-17", "2026-11-30"],
    [{ unit: "week", weekdays: [7] }, "2026-01-04", "2026-11-16", "2026-11-22"],
    [{ unit: "month" }, "2026-01-31", "2026-01-31", "2026-02-28"],
    [{ unit: "month" }, "2027-01-30", "2028-02-10", "2028-02-29"],
    [{ unit: "month", every: 3 }, "2026-01-15", "2026-11-15", "2027-01-15"],
    [{ unit: "month" }, "2026-01-15", "2026-11-15", "2026-11-15"],
    [{ unit: "month" }, "2026-01-15", "2026-11-16", "2026-12-15"],
    [{ unit: "year" }, "2024-02-29", "2024-02-29", "2025-02-28"],
    [{ unit: "year", every: 2 }, "2020-05-05", "2026-11-15", "2028-05-05"],
  ] as const)("%o due %s, concluded %s: %s", (repeat, dueDate, today, expected) => {
    expect(next({ ...repeat, weekdays: [...("weekdays" in repeat ? repeat.weekdays : [])] }, dueDate, today)).toBe(
      expected,
    );
  });

  test("the 31st survives short months, and 29 February survives common years", () => {
    const walk = (start: string, repeat: Repeat, times: number): readonly string[] => {
      const dates: string[] = [];
      let at = { dueDate: start as LocalDate, repeat };
      for (let round = 0; round < times; round += 1) {
        const following = nextDue({ ...at, today: at.dueDate });
        if (following === null) break;
        at = following;
        dates.push(at.dueDate);
      }
      return dates;
    };
    const months = walk("2026-12-31", rule({ unit: "month" }), 4);
    expect(months).toEqual(["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"]);
    const years = walk("2024-02-29", rule({ unit: "year" }), 4);
    expect(years).toEqual(["2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]);
  });

  test("a day is kept in mind only while a month is too short for it", () => {
    const repeat = rule({ unit: "month" });
    const from = (date: string) => nextDue({ repeat, dueDate: date as LocalDate, today: date as LocalDate })?.repeat;
    expect(from("2026-12-31")).toEqual(repeat);
    expect(from("2027-01-29")).toEqual({ ...repeat, anchorDay: 29 });
    expect(from("2027-01-28")).toEqual(repeat);
  });

  test("the calendar ends, and so does the rhythm", () => {
    expect(next({ unit: "day" }, "9999-12-31")).toBeUndefined();
    expect(next({ unit: "year", every: 999 }, "9999-12-31")).toBeUndefined();
    expect(next({ unit: "month" }, "9999-11-30")).toBe("9999-12-30");
    expect(next({ unit: "month" }, "9999-12-31")).toBeUndefined();
    // Also where no day was missed: a clock far behind must not let one year more through.
    expect(next({ unit: "month" }, "9999-12-31", "0001-01-01")).toBeUndefined();
    expect(next({ unit: "day" }, "0001-01-01", "9999-12-31")).toBe("9999-12-31");
  });
});
