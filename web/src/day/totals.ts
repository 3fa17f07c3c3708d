import { addDays, type LocalDate } from "#base";
import type { DayView, JournalQuery, RecordOf } from "#model";
import { instantOf, momentOf } from "../time/clock.ts";

/** Time entries that touch a day of the owner's own calendar. */
export const timeOfDay = (date: LocalDate): Extract<JournalQuery, { kind: "time" }> => ({
  kind: "time",
  from: instantOf(date, 0),
  to: instantOf(addDays(date, 1), 0),
});

export const blockSeconds = (blocks: DayView["blocks"]): number =>
  blocks.reduce((sum, { body }) => sum + (Date.parse(body.endTime) - Date.parse(body.startTime)) / 1000, 0);

type Worked = { readonly entries: readonly RecordOf<"timeEntry">[]; readonly nowMs: number };

/** What was worked on a day; an entry over midnight counts for each day only with its own part. */
export function spentSecondsOn(date: LocalDate, { entries, nowMs }: Worked): number {
  const from = momentOf(date, 0).getTime();
  const to = momentOf(addDays(date, 1), 0).getTime();
  return entries.reduce((sum, { body }) => {
    const start = Math.max(from, Date.parse(body.startedAt));
    const end = Math.min(to, body.endedAt === null ? nowMs : Date.parse(body.endedAt));
    return sum + Math.max(0, end - start) / 1000;
  }, 0);
}
