import { LIMITS, parseLocalTime, type LocalTime } from "#base";
import type { Match, Word } from "./words.ts";

/** A time of day. A bare number is one only after `at` or right behind a date; otherwise it is a number. */
export function matchTime(
  words: readonly Word[],
  { at, isAfterDate }: { readonly at: number; readonly isAfterDate: boolean },
): Match<LocalTime> | null {
  const isLed = words[at]?.plain === "at";
  const value = timeOf(words[isLed ? at + 1 : at]?.plain ?? "", { isBareAllowed: isLed || isAfterDate });
  return value === null ? null : { count: isLed ? 2 : 1, value };
}

function timeOf(plain: string, { isBareAllowed }: { readonly isBareAllowed: boolean }): LocalTime | null {
  if (isBareAllowed && plain === "noon") return localTime(12, 0);
  const match = /^(\d{1,2})(?::(\d{2}))?(am|pm)?\.?$/.exec(plain);
  if (match === null) return null;
  const [, hour, minute, half] = match;
  if (minute === undefined && half === undefined && !isBareAllowed) return null;
  return localTime(half === undefined ? Number(hour) : hourOfDay(Number(hour), half), Number(minute ?? 0));
}

/** An hour of the twelve-hour clock; one that is not on that clock is none. */
function hourOfDay(hour: number, half: string): number {
  return hour < 1 || hour > 12 ? Number.NaN : (hour % 12) + (half === "pm" ? 12 : 0);
}

function localTime(hour: number, minute: number): LocalTime | null {
  const time = parseLocalTime(`${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
  return time.ok ? time.value : null;
}

/** An estimate in minutes: `est 30m`, `est 2 hours`, `~45m`, `30m`, `1h30`, `1.5h`. */
export function matchEstimate(words: readonly Word[], at: number): Match<number> | null {
  const plain = words[at]?.plain ?? "";
  const isLed = plain === "est" || plain === "est." || plain === "estimate";
  if (!isLed) return within({ count: 1, value: minutesOf(plain.replace(/^~/, "")) });
  const next = words[at + 1]?.plain ?? "";
  const single = within({ count: 2, value: minutesOf(next.replace(/^~/, "")) });
  if (single !== null) return single;
  const number = /^\d{1,5}$/.test(next) ? Number(next) : null;
  if (number === null) return null;
  const unit = minutesOf(`1${(words[at + 2]?.plain ?? "").replace(/\.$/, "")}`);
  return unit === null ? within({ count: 2, value: number }) : within({ count: 3, value: number * unit });
}

function within({ count, value }: { readonly count: number; readonly value: number | null }): Match<number> | null {
  return value === null || value < 1 || value > LIMITS.estimateMinutes ? null : { count, value };
}

function minutesOf(plain: string): number | null {
  const minutes = /^(\d{1,5})(?:m|min|mins|minute|minutes)$/.exec(plain);
  if (minutes !== null) return Number(minutes[1]);
  const hours = /^(\d{1,4})(?:[.,](\d))?(?:h|hr|hrs|hour|hours)(?:(\d{1,2})(?:m|min)?)?$/.exec(plain);
  if (hours === null || (hours[2] !== undefined && hours[3] !== undefined)) return null;
  return Number(hours[1]) * 60 + Number(hours[2] ?? 0) * 6 + Number(hours[3] ?? 0);
}

/** Minutes for people: "30 min", "1 h 30 min". */
export function showMinutes(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
