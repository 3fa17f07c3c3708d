import type { LocalDate } from "#base";
import type { JournalQuery } from "#model";

export const SHOWN_LATER = 5;

/** The next tasks with a later date; the offline copy and the surface must ask with the same words. */
export const comingUp = (today: LocalDate): Extract<JournalQuery, { kind: "tasks" }> => ({
  kind: "tasks",
  view: "upcoming",
  today,
  limit: SHOWN_LATER,
});
