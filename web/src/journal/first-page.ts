import type { Instant } from "#base";
import type { JournalQuery } from "#model";

/** The newest part of the journal; the offline copy and the surface must ask with the same words. */
export const JOURNAL_FIRST_PAGE: Extract<JournalQuery, { kind: "timeline" }> = {
  kind: "timeline",
  from: "1970-01-01T00:00:00.000Z" as Instant,
  to: "9999-12-31T00:00:00.000Z" as Instant,
  limit: 100,
};
