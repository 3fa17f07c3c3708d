import { daysOfLocalDate, type Instant, type LocalDate } from "#base";
import { words } from "../words.ts";
import { momentOf } from "./clock.ts";

const formats = new Map<string, Intl.DateTimeFormat>();
function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(undefined, options);
  formats.set(key, known);
  return known;
}

/** Asked once: the question costs many times what writing a time does, and a list writes thousands. */
let isTwelve: boolean | null = null;
const isTwelveHour = (): boolean => (isTwelve ??= format({ hour: "numeric" }).resolvedOptions().hour12 === true);

/** "9:12 PM" where the clock counts to twelve, "09:12" where it counts to twenty-four. */
const clock = (): Intl.DateTimeFormat => format({ hour: isTwelveHour() ? "numeric" : "2-digit", minute: "2-digit" });

export const clockTime = (moment: Instant | number): string => clock().format(new Date(moment));

export const clockOfMinutes = (minutes: number): string => clock().format(momentOf("2026-06-15", minutes));

/** How many characters the longest clock time of this locale has, so that times stand in one column. */
export const clockChars = (): number => clockOfMinutes(22 * 60 + 48).length;

/** "9 AM" or "09:00": a whole hour as short as the locale allows. */
export const hourLabel = (hour: number): string =>
  (isTwelveHour() ? format({ hour: "numeric" }) : clock()).format(momentOf("2026-06-15", hour * 60));

export const dateTime = (moment: Instant): string =>
  format({ dateStyle: "medium", timeStyle: "short" }).format(new Date(moment));

/** With the name of the zone, where a moment is compared with one from elsewhere. */
export const zonedDateTime = (moment: Instant): string =>
  format({
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).format(new Date(moment));

export const longDate = (date: LocalDate): string =>
  format({ weekday: "long", day: "numeric", month: "long" }).format(momentOf(date, 720));

export const shortDate = (date: LocalDate): string =>
  format({ weekday: "short", day: "numeric", month: "short" }).format(momentOf(date, 720));

const fullDate = (date: LocalDate): string =>
  format({ day: "numeric", month: "short", year: "numeric" }).format(momentOf(date, 720));

export const weekdayNarrow = (isoDay: number): string => format({ weekday: "short" }).format(new Date(2026, 5, isoDay));

/** "Today", "Tomorrow", a weekday near by, else a date. */
export function relativeDate(date: LocalDate, today: LocalDate): string {
  const days = daysOfLocalDate(date) - daysOfLocalDate(today);
  if (days === 0) return words.dates.today;
  if (days === 1) return words.dates.tomorrow;
  if (days === -1) return words.dates.yesterday;
  return date.slice(0, 4) === today.slice(0, 4) ? shortDate(date) : fullDate(date);
}

/** "1 h 30 min", "45 min", "20 s", "0 min". */
export function duration(seconds: number): string {
  if (seconds < 1) return words.dates.minutes(0);
  if (seconds < 60) return words.dates.seconds(Math.floor(seconds));
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return words.dates.minutes(minutes);
  return minutes % 60 === 0 ? words.dates.hours(hours) : words.dates.hoursAndMinutes(hours, minutes % 60);
}

const pad = (value: number): string => String(value).padStart(2, "0");

/** A running clock, "0:42:07". */
export function stopwatch(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
}

/** What is left of a short time, "4:59". */
export const countdown = (seconds: number): string => `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;

/** "30m", "1h", "1h 30m", "90" as minutes; null when it is none of these. */
export function parseMinutes(text: string): number | null {
  const match = /^\s*(?:(\d+(?:[.,]\d+)?)\s*h(?:ours?)?)?\s*(?:(\d+)\s*(?:m(?:in(?:utes?)?)?)?)?\s*$/i.exec(text);
  if (match === null || (match[1] === undefined && match[2] === undefined)) return null;
  return Math.round(Number((match[1] ?? "0").replace(",", ".")) * 60) + Number(match[2] ?? 0);
}

export const minutesText = (minutes: number | null): string =>
  minutes === null
    ? ""
    : minutes % 60 === 0 && minutes > 0
      ? `${minutes / 60}h`
      : minutes < 60
        ? `${minutes}m`
        : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;

export const secondsBetween = (start: Instant, end: Instant | number): number =>
  Math.max(0, (new Date(end).getTime() - new Date(start).getTime()) / 1000);
