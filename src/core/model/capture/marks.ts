import { LIMITS } from "#base";
import type { Repeat } from "../journal-records.ts";
import { showWeekday, weekdayOf } from "./calendar.ts";
import type { Match, Word } from "./words.ts";

// Letters of any script, digits, emoji and joiners; a bare number after # is an issue or a rank, not a label.
const NAME = /^[#@]((?=.*[^\d])[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Join_Control}_/&+-]+)$/u;

/** `#label` or `@category`. */
export function matchName(word: Word | undefined, mark: "#" | "@"): Match<string> | null {
  if (word === undefined || word.plain === "" || !word.text.startsWith(mark)) return null;
  const name = NAME.exec(word.text.replace(/[,;.:!?]+$/, ""))?.[1];
  return name === undefined || name.length > LIMITS.nameChars ? null : { count: 1, value: name };
}

const PRIORITIES: { readonly [mark: string]: number } = {
  "!1": 1,
  "!2": 2,
  "!3": 3,
  "!4": 4,
  "!urgent": 1,
  "!high": 2,
  "!medium": 3,
  "!low": 4,
};

/** `!1` (most urgent) to `!4`, or in words. */
export function matchPriority(word: Word | undefined): Match<number> | null {
  const value = Object.hasOwn(PRIORITIES, word?.plain ?? "") ? PRIORITIES[word?.plain ?? ""] : undefined;
  return value === undefined ? null : { count: 1, value };
}

/** `every day`, `every 2 weeks`, `every mon wed`, `every weekday`; `every!` counts from the day it was done. */
export function matchRepeat(words: readonly Word[], at: number): Match<Repeat> | null {
  const lead = words[at]?.plain;
  if (lead !== "every" && lead !== "every!") return null;
  const from = lead === "every!" ? "done" : "due";
  const weekdays = weekdaysFrom(words, at + 1);
  if (weekdays.count > 0) {
    return { count: 1 + weekdays.count, value: { every: 1, unit: "week", weekdays: weekdays.value, from } };
  }
  const next = words[at + 1]?.plain ?? "";
  if (next.replace(/\.$/, "") === "weekday") {
    return { count: 2, value: { every: 1, unit: "week", weekdays: [1, 2, 3, 4, 5], from } };
  }
  const every = next === "other" ? 2 : /^[1-9]\d{0,2}$/.test(next) ? Number(next) : null;
  const unit = unitOf(words[every === null ? at + 1 : at + 2]?.plain ?? "");
  return unit === null
    ? null
    : { count: every === null ? 2 : 3, value: { every: every ?? 1, unit, weekdays: [], from } };
}

// "mon wed", "mon, wed and fri": words that join weekdays count only when another weekday follows.
function weekdaysFrom(words: readonly Word[], first: number): Match<number[]> {
  const weekdays = new Set<number>();
  let count = 0;
  for (let at = first; at < words.length; at += 1) {
    const plain = words[at]?.plain ?? "";
    if (plain === "and" && count > 0) continue;
    const weekday = weekdayOf(plain, { isLed: true });
    if (weekday === null) break;
    weekdays.add(weekday);
    count = at - first + 1;
  }
  return { count, value: [...weekdays].toSorted((one, other) => one - other) };
}

function unitOf(plain: string): Repeat["unit"] | null {
  switch (plain.replace(/\.$/, "").replace(/s$/, "")) {
    case "day":
      return "day";
    case "week":
      return "week";
    case "month":
      return "month";
    case "year":
      return "year";
    default:
      return null;
  }
}

/** A repetition for people: "Every 2 weeks", "Every Mon, Wed". */
export function showRepeat({ every, unit, weekdays, from }: Repeat): string {
  const after = from === "done" ? " after done" : "";
  if (weekdays.join() === "1,2,3,4,5") return `Every weekday${after}`;
  if (weekdays.length > 0) return `Every ${weekdays.map(showWeekday).join(", ")}${after}`;
  return every === 1 ? `Every ${unit}${after}` : `Every ${every} ${unit}s${after}`;
}
