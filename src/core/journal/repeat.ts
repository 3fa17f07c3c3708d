import { addDays, daysInMonth, daysOfLocalDate, isoWeekday, type LocalDate } from "#base";
import type { Repeat } from "#model";

/** When a repeating task is due again, and the rhythm it goes on with. */
type NextDue = { readonly dueDate: LocalDate; readonly repeat: Repeat };

type Concluded = { readonly repeat: Repeat; readonly dueDate: LocalDate; readonly today: LocalDate };

/**
 * The next date of the rhythm: after the last due date (or after today, counted from being done), and never before
 * today, so that a task left alone for a month comes back once. Null beyond the year 9999.
 */
export function nextDue({ repeat, dueDate, today }: Concluded): NextDue | null {
  const base = repeat.from === "done" ? today : dueDate;
  if (repeat.unit === "day") return onDate(nextByDays(base, { step: repeat.every, today }), repeat);
  if (repeat.unit === "week") return onDate(nextByWeeks(base, { repeat, today }), repeat);
  return nextByMonths(base, { repeat, today });
}

function onDate(dueDate: LocalDate, repeat: Repeat): NextDue | null {
  return dueDate.length === 10 ? { dueDate, repeat } : null;
}

type Step = { readonly step: number; readonly today: LocalDate };

function nextByDays(base: LocalDate, { step, today }: Step): LocalDate {
  const missed = Math.ceil((daysOfLocalDate(today) - daysOfLocalDate(base)) / step);
  return addDays(base, step * Math.max(1, missed));
}

type Rhythm = { readonly repeat: Repeat; readonly today: LocalDate };

// Chosen weekdays of every n-th week, weeks counted from the one of the last due date and beginning on Monday.
function nextByWeeks(base: LocalDate, { repeat, today }: Rhythm): LocalDate {
  const step = repeat.every * 7;
  const weekdays = [...new Set(repeat.weekdays)].toSorted((one, other) => one - other);
  if (weekdays.length === 0) return nextByDays(base, { step, today });
  const monday = addDays(base, 1 - isoWeekday(base));
  const skipped = Math.floor((daysOfLocalDate(today) - daysOfLocalDate(monday)) / step);
  const week = Math.max(0, skipped);
  // The week after the one where the jump landed lies past today and past the base.
  const dates = [week, week + 1].flatMap((nth) => weekdays.map((day) => addDays(monday, nth * step + day - 1)));
  return dates.find((date) => isLater(date, base) && !isLater(today, date)) ?? addDays(base, step);
}

// A day that a month does not have becomes its last day, and the next long month has it again.
function nextByMonths(base: LocalDate, { repeat, today }: Rhythm): NextDue | null {
  const step = repeat.every * (repeat.unit === "year" ? 12 : 1);
  const ownDay = Number(base.slice(8, 10));
  const anchor = repeat.from === "due" ? Math.max(repeat.anchorDay ?? ownDay, ownDay) : ownDay;
  const first = monthsOf(base);
  const missed = Math.floor((monthsOf(today) - first) / step);
  for (let times = Math.max(1, missed); times <= Math.max(1, missed) + 1; times += 1) {
    const dueDate = dateIn(first + times * step, anchor);
    if (dueDate === null) return null;
    if (isLater(today, dueDate)) continue;
    const { anchorDay: _, ...plain } = repeat;
    const isShort = Number(dueDate.slice(8, 10)) < anchor;
    return { dueDate, repeat: isShort ? { ...plain, anchorDay: anchor } : plain };
  }
  return null;
}

const monthsOf = (date: LocalDate): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

function dateIn(months: number, day: number): LocalDate | null {
  const year = Math.floor(months / 12);
  const month = (months % 12) + 1;
  if (year > 9999) return null;
  const clamped = Math.min(day, daysInMonth(year, month));
  const text = [String(year).padStart(4, "0"), String(month).padStart(2, "0"), String(clamped).padStart(2, "0")];
  return text.join("-") as LocalDate;
}

const isLater = (one: LocalDate, other: LocalDate): boolean => daysOfLocalDate(one) > daysOfLocalDate(other);
