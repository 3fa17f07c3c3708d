import { LIMITS } from "#base";

/**
 * True for a pattern that every engine of this house reads alike and a linear-time one can run: no back-references, no
 * look-around, no large counts. It is only compiled here, never run.
 */
export function isPattern(pattern: string): boolean {
  if (pattern.length > LIMITS.patternChars) return false;
  // Escapes are pairs; without them a bracket or a digit left in the text is syntax.
  const bare = pattern.replace(/\\[^1-9cku]/gs, "_");
  if (bare.includes("\\") || /\(\?(?:[=!]|<[=!])/.test(bare)) return false;
  const counts = [...bare.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap((match) => [match[1], match[2]]);
  if (counts.some((count) => count !== undefined && Number(count) > LIMITS.patternRepeats)) return false;
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** True for five cron fields (minute, hour, day, month, weekday) or the word `always_on`. [WORK-07] */
export function isSchedule(text: string): boolean {
  if (text === "always_on") return true;
  const fields = text.split(/ +/);
  return fields.length === CRON_FIELDS.length && CRON_FIELDS.every((field, index) => isCronField(fields[index], field));
}

/** False for a schedule that no day ever meets, such as the 31st of February. [WORK-07] */
export function everOccurs(schedule: string): boolean {
  if (schedule === "always_on") return true;
  const [, , day = "*", month = "*", weekday = "*"] = schedule.split(/ +/);
  // With days of the week besides, a date that never comes leaves those.
  if (weekday !== "*" || day.startsWith("*")) return true;
  const days = cronNumbers(day, DAY);
  return cronNumbers(month, MONTH).some((one) => days.some((number) => number <= (LONGEST[one - 1] ?? 0)));
}

/** Days of each month, in the year in which it is longest. */
const LONGEST: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Every number that a field of a valid schedule names. */
function cronNumbers(text: string, field: CronField): readonly number[] {
  return text.split(",").flatMap((part) => {
    const [span = "*", step = "1"] = part.split("/");
    const [from = "*", to] = span.split("-");
    const low = from === "*" ? field.min : (cronNumber(from, field) ?? field.min);
    const high = from === "*" ? field.max : to === undefined ? low : (cronNumber(to, field) ?? low);
    return Array.from({ length: Math.floor((high - low) / Number(step)) + 1 }, (_, at) => low + at * Number(step));
  });
}

type CronField = { readonly min: number; readonly max: number; readonly names: readonly string[] };
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY: CronField = { min: 1, max: 31, names: [] };
const MONTH: CronField = { min: 1, max: 12, names: MONTHS };
const CRON_FIELDS: readonly CronField[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  DAY,
  MONTH,
  { min: 0, max: 7, names: WEEKDAYS },
];

function isCronField(text: string | undefined, field: CronField): boolean {
  if (text === undefined) return false;
  return text.split(",").every((part) => {
    const match = /^(?:\*|([0-9a-z]+)(?:-([0-9a-z]+))?)(?:\/(\d{1,2}))?$/i.exec(part);
    if (match === null) return false;
    const [, from, to, step] = match;
    if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) return false;
    // A step needs something to step through.
    if (step !== undefined && from !== undefined && to === undefined) return false;
    const low = from === undefined ? field.min : cronNumber(from, field);
    const high = to === undefined ? low : cronNumber(to, field);
    return low !== null && high !== null && low <= high;
  });
}

function cronNumber(text: string, { min, max, names }: CronField): number | null {
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + min;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : null;
  return number !== null && number >= min && number <= max ? number : null;
}
