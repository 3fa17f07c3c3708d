import { err, ok, type Result } from "./result.ts";
import type { Brand } from "./brand.ts";

/** A moment as UTC with milliseconds and `Z`: sorts as text, and has one spelling per moment. */
export type Instant = Brand<string, "Instant">;
/** A calendar day in the owner's own zone, `YYYY-MM-DD`. */
export type LocalDate = Brand<string, "LocalDate">;
/** A wall-clock time in the owner's own zone, `HH:MM`. */
export type LocalTime = Brand<string, "LocalTime">;

type InstantError = { readonly code: "invalid_instant" | "instant_without_offset" };

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** The one spelling of an instant; whether its day exists is another question. */
const SPELLED = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Reads an ISO 8601 moment with any offset and keeps the moment. Times without an offset are refused. [JOURNAL-09] */
export function parseInstant(text: string): Result<Instant, InstantError> {
  // Almost every text that is read was written here, and needs no second spelling.
  if (SPELLED.test(text) && isRealDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))))
    return ok(text as Instant);
  const match = INSTANT.exec(text);
  if (match === null) return err({ code: "invalid_instant" });
  const [, year, month, day, hour, minute, second = "0", fraction = "0", offset] = match;
  if (offset === undefined) return err({ code: "instant_without_offset" });
  if (!isRealDay(Number(year), Number(month), Number(day))) return err({ code: "invalid_instant" });
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return err({ code: "invalid_instant" });
  const offsetMinutes = parseOffsetMinutes(offset);
  if (offsetMinutes === null) return err({ code: "invalid_instant" });
  const wallMs =
    daysFromCivil(Number(year), Number(month), Number(day)) * 86_400_000 +
    Number(hour) * 3_600_000 +
    Number(minute) * 60_000 +
    Number(second) * 1000 +
    Number(fraction.slice(0, 3).padEnd(3, "0"));
  return instantFromMs(wallMs - offsetMinutes * 60_000);
}

const INSTANT_MS_MIN = daysFromCivil(0, 1, 1) * 86_400_000;
const INSTANT_MS_MAX = daysFromCivil(9999, 12, 31) * 86_400_000 + 86_399_999;

/** The instant `ms` after the epoch; refused outside the years 0000 to 9999. */
export function instantFromMs(ms: number): Result<Instant, InstantError> {
  if (!Number.isInteger(ms) || ms < INSTANT_MS_MIN || ms > INSTANT_MS_MAX) return err({ code: "invalid_instant" });
  const days = Math.floor(ms / 86_400_000);
  const rest = ms - days * 86_400_000;
  const time = `${pad(Math.floor(rest / 3_600_000), 2)}:${pad(Math.floor(rest / 60_000) % 60, 2)}:${pad(Math.floor(rest / 1000) % 60, 2)}`;
  return ok(`${civilFromDays(days)}T${time}.${pad(rest % 1000, 3)}Z` as Instant);
}

/** Milliseconds since the epoch. */
export function msOfInstant(instant: Instant): number {
  const day = daysOfLocalDate(instant.slice(0, 10) as LocalDate);
  const hour = Number(instant.slice(11, 13));
  const minute = Number(instant.slice(14, 16));
  return (
    day * 86_400_000 +
    hour * 3_600_000 +
    minute * 60_000 +
    Number(instant.slice(17, 19)) * 1000 +
    Number(instant.slice(20, 23))
  );
}

export function parseLocalDate(text: string): Result<LocalDate, { readonly code: "invalid_date" }> {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const real = match !== null && isRealDay(Number(match[1]), Number(match[2]), Number(match[3]));
  return real ? ok(text as LocalDate) : err({ code: "invalid_date" });
}

export function parseLocalTime(text: string): Result<LocalTime, { readonly code: "invalid_time" }> {
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(text) ? ok(text as LocalTime) : err({ code: "invalid_time" });
}

/** Days since 1970-01-01. */
export function daysOfLocalDate(date: LocalDate): number {
  return daysFromCivil(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10)));
}

export function addDays(date: LocalDate, days: number): LocalDate {
  return civilFromDays(daysOfLocalDate(date) + days) as LocalDate;
}

/** 1 = Monday … 7 = Sunday. */
export function isoWeekday(date: LocalDate): number {
  return ((((daysOfLocalDate(date) + 3) % 7) + 7) % 7) + 1;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isRealDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function parseOffsetMinutes(offset: string): number | null {
  if (offset === "Z") return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(-2));
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

// Proleptic Gregorian calendar arithmetic on whole eras of 400 years, so no clock object is needed in core.
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1;
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
