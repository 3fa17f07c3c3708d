import { expect, test } from "vitest";
import { instantFromMs, parseInstant, parseLocalDate, parseLocalTime } from "./instant.ts";

test.each([
  ["2026-11-15T19:48Z", "2026-11-15T19:48:00.000Z"],
  ["2026-11-15T19:48:09Z", "2026-11-15T19:48:09.000Z"],
  ["2026-11-15T19:48:09.1Z", "2026-11-15T19:48:09.100Z"],
  ["2026-11-15T19:48:09,123456789Z", "2026-11-15T19:48:09.123Z"],
  ["2026-11-15T19:48:09,123Z", "2026-11-15T19:48:09.123Z"],
  ["2026-11-15T01:30:00+02:00", "2026-11-14T23:30:00.000Z"],
  ["2026-12-31T23:30:00-0100", "2027-01-01T00:30:00.000Z"],
  ["2026-11-15T23:59:59+23:59", "2026-11-15T00:00:59.000Z"],
  ["2026-01-31T00:00:00-00:59", "2026-01-31T00:59:00.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
  ["1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"],
])("the moment %s is written %s", (text, instant) => {
  expect(parseInstant(text)).toEqual({ ok: true, value: instant });
});

test.each([
  ["2026-11-15T19:48:09", "instant_without_offset"],
  ["2026-11-15", "invalid_instant"],
  ["2026-11-15 19:48:09Z", "invalid_instant"],
  ["2023-02-29T00:00:00Z", "invalid_instant"],
  ["1900-02-29T00:00:00Z", "invalid_instant"],
  ["2026-04-31T00:00:00Z", "invalid_instant"],
  ["2026-13-01T00:00:00Z", "invalid_instant"],
  ["2026-11-15T24:00:00Z", "invalid_instant"],
  ["2026-11-15T19:60:00Z", "invalid_instant"],
  ["2026-11-15T19:48:60Z", "invalid_instant"],
  ["2026-11-15T19:48:09+24:00", "invalid_instant"],
  ["2026-11-15T19:48:09+02:60", "invalid_instant"],
  ["2026-11-15T19:48:09Z\n", "invalid_instant"],
  ["2026-04-31T00:00:00.000Z", "invalid_instant"],
  ["2026-11-15T24:00:00.000Z", "invalid_instant"],
  ["2026-11-15T19:48:09.000Z\n", "invalid_instant"],
  ["٢٠٢٦-11-15T19:48:09Z", "invalid_instant"],
  ["0000-01-01T00:00:00+01:00", "invalid_instant"],
  ["9999-12-31T23:59:59-01:00", "invalid_instant"],
])("%j is refused: %s", (text, code) => {
  expect(parseInstant(text)).toEqual({ ok: false, error: { code } });
});

test("milliseconds that are no moment of the years 0000 to 9999 are refused", () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 0.5, 253_402_300_800_000, -62_167_219_200_001]) {
    expect(instantFromMs(ms).ok).toBe(false);
  }
  expect(instantFromMs(-62_167_219_200_000)).toEqual({ ok: true, value: "0000-01-01T00:00:00.000Z" });
  expect(instantFromMs(253_402_300_799_999)).toEqual({ ok: true, value: "9999-12-31T23:59:59.999Z" });
});

test("dates and times of day have one spelling", () => {
  expect(parseLocalDate("2024-02-29").ok).toBe(true);
  for (const text of ["2023-02-29", "2024-2-29", "2024-02-29 ", "2024-00-10", "2024-01-00"]) {
    expect(parseLocalDate(text).ok).toBe(false);
  }
  expect(parseLocalTime("23:59").ok).toBe(true);
  for (const text of ["24:00", "9:00", "09:60", "09:00:00", "09:00\n"]) expect(parseLocalTime(text).ok).toBe(false);
});
