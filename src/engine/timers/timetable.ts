import { assert, instantFromMs, msOfInstant, type Instant } from "#base";
import type { Timetable } from "#work";

const MINUTE_MS = 60_000;

/**
 * When a schedule is due in a time zone. Where the clock goes forward, what falls into the hour that is not there is due
 * at its end; where it goes back, a time of day is due once, and `every hour` every hour. Without a schedule nothing is
 * due. Throws for cron fields or a zone that mean nothing.
 */
export async function loadTimetable(schedule: string | null, timeZone: string): Promise<Timetable> {
  if (schedule === null) return { next: () => null, last: () => null };
  // Every minute needs no calendar, and a calendar costs a thousand times as much.
  if (schedule === "always_on" || /^(?:\*|\*\/1)(?: +\*){4}$/.test(schedule)) return EVERY_MINUTE;
  // Loaded when the first goal needs a calendar: most starts need none.
  const { Cron } = await import("croner");
  // An unknown zone is found here; croner finds it at the first time that is asked for.
  Intl.DateTimeFormat("en", { timeZone });
  const cron = new Cron(schedule, { timezone: timeZone, paused: true, mode: "5-part" });
  return {
    next: (after) => instantOf(cron.nextRun(new Date(msOfInstant(after)))),
    // What is due at this very moment counts.
    last: (upTo) => instantOf(cron.previousRuns(1, new Date(msOfInstant(upTo) + 1000))[0] ?? null),
  };
}

const EVERY_MINUTE: Timetable = {
  next: (after) => instantAt((Math.floor(msOfInstant(after) / MINUTE_MS) + 1) * MINUTE_MS),
  last: (upTo) => instantAt(Math.floor(msOfInstant(upTo) / MINUTE_MS) * MINUTE_MS),
};

const instantOf = (date: Date | null): Instant | null => (date === null ? null : instantAt(date.getTime()));

function instantAt(ms: number): Instant | null {
  const instant = instantFromMs(ms);
  assert(instant.ok, "a schedule stays within the calendar");
  return instant.value;
}
