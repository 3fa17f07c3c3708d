import { addDays, daysInMonth, isoWeekday, parseLocalDate, type LocalDate } from "#base";

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] as const;
const MONTH_NAMES = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
] as const;
const SHORT: { readonly [name: string]: number } = {
  mon: 1,
  tue: 2,
  tues: 2,
  wed: 3,
  thu: 4,
  thur: 4,
  thurs: 4,
  fri: 5,
};
/** Short names that are words of their own ("sat down", "sun cream"): read only after a word that asks for a day. */
const SHORT_AFTER_LEAD: { readonly [name: string]: number } = { sat: 6, sun: 7 };

/** 1 = Monday … 7 = Sunday; null when the word is no weekday. */
export function weekdayOf(plain: string, { isLed }: { readonly isLed: boolean }): number | null {
  const word = plain.replace(/\.$/, "");
  const full = WEEKDAYS.findIndex((name) => name === word);
  if (full >= 0) return full + 1;
  const short = Object.hasOwn(SHORT, word) ? SHORT[word] : undefined;
  const led = isLed && Object.hasOwn(SHORT_AFTER_LEAD, word) ? SHORT_AFTER_LEAD[word] : undefined;
  return short ?? led ?? null;
}

export function monthOf(plain: string): number | null {
  const word = plain.replace(/\.$/, "");
  const index = word === "sept" ? 8 : Math.max(MONTHS.indexOf(word as "jan"), MONTH_NAMES.indexOf(word as "january"));
  return index < 0 ? null : index + 1;
}

/** The first such weekday after this day, or on it. */
export function weekdayFrom(date: LocalDate, weekday: number): LocalDate {
  return addDays(date, (weekday - isoWeekday(date) + 7) % 7);
}

export function addMonths(date: LocalDate, count: number): LocalDate | null {
  const months = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 + count;
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  return dateOf({ year, month, day: Math.min(Number(date.slice(8, 10)), daysInMonth(year, month)) });
}

type DayOfYear = { readonly month: number; readonly day: number };

export function dateOf({ year, month, day }: DayOfYear & { readonly year: number }): LocalDate | null {
  const date = parseLocalDate(`${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`);
  return date.ok ? date.value : null;
}

/** The next time the calendar has this day, today included; 29 February may be eight years away. */
export function comingDate(today: LocalDate, { month, day }: DayOfYear): LocalDate | null {
  const thisYear = Number(today.slice(0, 4));
  for (let year = thisYear; year <= thisYear + 8; year += 1) {
    const date = dateOf({ year, month, day });
    if (date !== null && date >= today) return date;
  }
  return null;
}

/** A date for people: "Today", "Tomorrow", "Fri 20 Nov", and the year when it is another. */
export function showDate(date: LocalDate, today: LocalDate): string {
  if (date === today) return "Today";
  if (date === addDays(today, 1)) return "Tomorrow";
  const weekday = capital((WEEKDAYS[isoWeekday(date) - 1] ?? "").slice(0, 3));
  const text = `${weekday} ${Number(date.slice(8, 10))} ${capital(MONTHS[Number(date.slice(5, 7)) - 1] ?? "")}`;
  return date.slice(0, 4) === today.slice(0, 4) ? text : `${text} ${date.slice(0, 4)}`;
}

export function showWeekday(weekday: number): string {
  return capital((WEEKDAYS[weekday - 1] ?? "").slice(0, 3));
}

const pad = (value: number, width: number): string => String(value).padStart(width, "0");

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
