import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDays,
  daysInMonth,
  daysOfLocalDate,
  instantFromMs,
  isoWeekday,
  msOfInstant,
  parseInstant,
  parseLocalDate,
  type Instant,
  type LocalDate,
} from "./instant.ts";

const FIRST_MS = Date.UTC(2000, 0, 1) - 730_485 * 86_400_000; // 0000-01-01
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const moment = fc.oneof(fc.integer({ min: FIRST_MS, max: LAST_MS }), fc.integer({ min: -1e6, max: 1e6 }));
const day = fc.integer({ min: FIRST_MS / 86_400_000, max: Math.floor(LAST_MS / 86_400_000) });
const print = (ms: number): Instant => {
  const result = instantFromMs(ms);
  if (!result.ok) throw new Error(`no instant for ${ms}`);
  return result.value;
};
const two = (value: number): string => String(value).padStart(2, "0");
const dateOf = (days: number): LocalDate => print(days * 86_400_000).slice(0, 10) as LocalDate;

describe("instants against the platform's calendar", () => {
  test("printing agrees with the platform, and reading gives the moment back", () => {
    fc.assert(
      fc.property(moment, (ms) => {
        const instant = print(ms);
        expect(instant).toBe(new Date(ms).toISOString());
        expect(msOfInstant(instant)).toBe(ms);
        expect(parseInstant(instant)).toEqual({ ok: true, value: instant });
      }),
    );
  });

  test("an offset changes the spelling, never the moment", () => {
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), offset, (ms, minutes) => {
        const wall = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
        const absolute = Math.abs(minutes);
        const zone = `${minutes < 0 ? "-" : "+"}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
        expect(parseInstant(wall + zone)).toEqual({ ok: true, value: new Date(ms).toISOString() });
        expect(parseInstant(wall + zone.replace(":", ""))).toEqual({ ok: true, value: new Date(ms).toISOString() });
      }),
    );
  });

  test("instants sort as text exactly as they sort in time", () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        expect(print(a) < print(b)).toBe(a < b);
      }),
    );
  });

  test("days are counted, added and named as the platform does", () => {
    fc.assert(
      fc.property(day, day, (from, to) => {
        expect(daysOfLocalDate(dateOf(from))).toBe(from);
        expect(addDays(dateOf(from), to - from)).toBe(dateOf(to));
        expect(isoWeekday(dateOf(from)) % 7).toBe(new Date(from * 86_400_000).getUTCDay());
      }),
    );
  });

  test("a date is real exactly when the platform does not roll it over", () => {
    const part = fc.integer({ min: 0, max: 32 });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9999 }), part, part, (year, month, dayOfMonth) => {
        const text = [
          String(year).padStart(4, "0"),
          String(month).padStart(2, "0"),
          String(dayOfMonth).padStart(2, "0"),
        ];
        const date = new Date(Date.UTC(year, month - 1, dayOfMonth));
        const isReal = date.toISOString().slice(0, 10) === text.join("-");
        expect(parseLocalDate(text.join("-")).ok).toBe(isReal);
      }),
    );
  });

  test("months are as long as the platform makes them", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9999 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        expect(daysInMonth(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
      }),
    );
  });
});
