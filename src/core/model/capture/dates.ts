import { addDays, isoWeekday, type LocalDate } from "#base";
import { addMonths, comingDate, dateOf, monthOf, weekdayFrom, weekdayOf } from "./calendar.ts";
import type { Match, Word } from "./words.ts";

/** Words that only lead to a date and mean nothing to the title: "by Friday", "on 20 Nov". */
const LEADS = new Set(["on", "by", "due"]);

/** A date written at this place: a word, a weekday, a day and month, or a span from today. */
export function matchDate(
  words: readonly Word[],
  { at, today }: { readonly at: number; readonly today: LocalDate },
): Match<LocalDate> | null {
  const isLed = LEADS.has(words[at]?.plain ?? "");
  const first = isLed ? at + 1 : at;
  const match =
    matchName(words[first], today) ??
    matchWeekday(words, { at: first, isLed, today }) ??
    matchSpan(words, first, today) ??
    matchDayAndMonth(words, first, today) ??
    matchNumbers(words[first], today);
  return match === null ? null : { count: match.count + (isLed ? 1 : 0), value: match.value };
}

function matchName(word: Word | undefined, today: LocalDate): Match<LocalDate> | null {
  switch (word?.plain.replace(/\.$/, "")) {
    case "today":
    case "tonight":
      return found(1, today);
    case "tomorrow":
    case "tmr":
    case "tmrw":
      return found(1, addDays(today, 1));
    default:
      return null;
  }
}

type Place = { readonly at: number; readonly isLed: boolean; readonly today: LocalDate };

// A plain weekday is the next one after today; "this" may be today; "next" is in the week that begins next Monday.
function matchWeekday(words: readonly Word[], { at, isLed, today }: Place): Match<LocalDate> | null {
  const lead = words[at]?.plain;
  const nextMonday = addDays(today, 8 - isoWeekday(today));
  if (lead === "next" && words[at + 1]?.plain === "week") return found(2, nextMonday);
  if (lead === "next" && words[at + 1]?.plain === "month") return found(2, firstOfNextMonth(today));
  const isNamed = lead === "next" || lead === "this";
  const weekday = weekdayOf(words[isNamed ? at + 1 : at]?.plain ?? "", { isLed: isLed || isNamed });
  if (weekday === null) return null;
  if (lead === "next") return found(2, weekdayFrom(nextMonday, weekday));
  return lead === "this" ? found(2, weekdayFrom(today, weekday)) : found(1, weekdayFrom(addDays(today, 1), weekday));
}

const firstOfNextMonth = (today: LocalDate): LocalDate | null => addMonths(`${today.slice(0, 8)}01` as LocalDate, 1);

function matchSpan(words: readonly Word[], at: number, today: LocalDate): Match<LocalDate> | null {
  if (words[at]?.plain !== "in") return null;
  const count = countOf(words[at + 1]?.plain ?? "");
  if (count === null) return null;
  switch (words[at + 2]?.plain.replace(/\.$/, "").replace(/s$/, "")) {
    case "day":
      return found(3, addDays(today, count));
    case "week":
      return found(3, addDays(today, count * 7));
    case "month":
      return found(3, addMonths(today, count));
    case "year":
      return found(3, addMonths(today, count * 12));
    default:
      return null;
  }
}

const countOf = (plain: string): number | null => {
  if (plain === "a" || plain === "one") return 1;
  return /^\d{1,3}$/.test(plain) ? Number(plain) : null;
};

// "20 nov", "20th nov 2027", "nov 20", "nov 20 2027".
function matchDayAndMonth(words: readonly Word[], at: number, today: LocalDate): Match<LocalDate> | null {
  const [one, two, three] = [words[at]?.plain ?? "", words[at + 1]?.plain ?? "", words[at + 2]?.plain ?? ""];
  const month = monthOf(one) ?? monthOf(two);
  const day = dayOf(monthOf(one) === null ? one : two);
  if (month === null || day === null) return null;
  const year = /^[12]\d{3}$/.test(three) ? Number(three) : null;
  return year === null ? found(2, comingDate(today, { month, day })) : found(3, dateOf({ year, month, day }));
}

const dayOf = (plain: string): number | null => {
  const match = /^(\d{1,2})(?:st|nd|rd|th|\.)?$/.exec(plain);
  return match === null ? null : Number(match[1]);
};

// "2026-11-20", "20.11.", "20.11.2026". Two numbers with a slash mean different days in different countries.
function matchNumbers(word: Word | undefined, today: LocalDate): Match<LocalDate> | null {
  const plain = word?.plain ?? "";
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(plain);
  if (iso !== null) return found(1, dateOf({ year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) }));
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/.exec(plain);
  if (dotted === null) return null;
  const day = { month: Number(dotted[2]), day: Number(dotted[1]) };
  return found(1, dotted[3] === undefined ? comingDate(today, day) : dateOf({ ...day, year: Number(dotted[3]) }));
}

/** A day that does not exist, or lies beyond the year 9999, is no date. */
function found(count: number, value: LocalDate | null): Match<LocalDate> | null {
  return value === null || value.length !== 10 ? null : { count, value };
}
