import { addDays, instantFromMs, msOfInstant, parseInstant, parseLocalDate, type Instant, type LocalDate } from "#base";
import { usage } from "./failure.ts";

/** What the machine says about here and now; read once per command and passed on as facts. */
export type HereAndNow = { readonly now: Instant; readonly today: LocalDate; readonly zone: string };

export function readHereAndNow(): HereAndNow {
  const date = new Date();
  return {
    now: date.toISOString() as Instant,
    today: localDateOf(date),
    // Asked only when somebody wants to know: finding it out loads the tables of all languages.
    get zone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
  };
}

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const DURATION = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+)m(?:in)?)?$/;
const WORDS: { readonly [word: string]: number } = { yesterday: -1, today: 0, tomorrow: 1 };

/** A day as people type it: `2026-11-15`, `today`, `tomorrow`, `yesterday`, `+3`. */
export function parseDay(text: string, here: HereAndNow): LocalDate {
  const offset = WORDS[text.toLowerCase()] ?? (/^[+-]\d{1,4}$/.test(text) ? Number(text) : null);
  if (offset !== null) return addDays(here.today, offset);
  const parsed = parseLocalDate(text);
  if (parsed.ok) return parsed.value;
  throw usage(`"${text}" is not a day.`, "Write a day as 2026-11-15, today, tomorrow, yesterday or +3.");
}

/** A moment as people type it: `now`, `09:30` (today), `yesterday 09:30`, `2026-11-15 09:30`, or ISO 8601 with offset. */
export function parseMoment(text: string, here: HereAndNow): Instant {
  if (text === "now") return here.now;
  const iso = parseInstant(text);
  if (iso.ok) return iso.value;
  const ago = /^-(.+)$/.exec(text);
  const agoMinutes = ago?.[1] === undefined ? null : durationMinutes(ago[1]);
  if (agoMinutes !== null) return shift(here.now, -agoMinutes);
  const [first = "", second] = text.trim().split(/[ T]+/, 2);
  const time = TIME.exec(second ?? first);
  const day = second === undefined ? here.today : dayOrNull(first, here);
  if (time !== null && day !== null) {
    return instantAt(day, { hour: Number(time[1]), minute: Number(time[2]) });
  }
  throw usage(
    `"${text}" is not a moment.`,
    "Write 09:30, yesterday 09:30, 2026-11-15 09:30, -30m, now, or ISO 8601 with an offset.",
  );
}

/** Minutes of `30m`, `1h`, `1h30m`, `1.5h` or `90`. */
export function parseDuration(text: string): number {
  const minutes = durationMinutes(text);
  if (minutes === null) throw usage(`"${text}" is not a duration.`, "Write 30m, 1h, 1h30m or a number of minutes.");
  return minutes;
}

export function shift(from: Instant, minutes: number): Instant {
  const shifted = instantFromMs(msOfInstant(from) + minutes * 60_000);
  if (!shifted.ok) throw usage("That moment is outside the years 0000 to 9999.");
  return shifted.value;
}

/** The wall clock of a day where the owner is. A time that a clock change skips becomes the moment after the gap. */
export function instantAt(day: LocalDate, at: { readonly hour: number; readonly minute: number }): Instant {
  const date = new Date(2000, 0, 1);
  date.setFullYear(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10)));
  date.setHours(at.hour, at.minute, 0, 0);
  return date.toISOString() as Instant;
}

export const showDay = (instant: Instant): LocalDate => localDateOf(new Date(instant));
export const showTime = (instant: Instant): string => {
  const date = new Date(instant);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
};
export const showMoment = (instant: Instant): string => `${showDay(instant)} ${showTime(instant)}`;

export function showMinutes(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = Math.floor(minutes % 60);
  if (hours === 0) return `${rest}m`;
  return rest === 0 ? `${hours}h` : `${hours}h${pad(rest)}m`;
}

function durationMinutes(text: string): number | null {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const match = text === "" ? null : DURATION.exec(text);
  if (match === null) return null;
  return Math.round(Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0));
}

function dayOrNull(text: string, here: HereAndNow): LocalDate | null {
  const offset = WORDS[text.toLowerCase()];
  if (offset !== undefined) return addDays(here.today, offset);
  const parsed = parseLocalDate(text);
  return parsed.ok ? parsed.value : null;
}

const localDateOf = (date: Date): LocalDate =>
  `${String(date.getFullYear()).padStart(4, "0")}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}` as LocalDate;
const pad = (value: number): string => String(value).padStart(2, "0");
