import type { Instant } from "#base";
import type { TimelineRow } from "#model";

/** When a row of the journal happened. */
export function momentOfRow(row: TimelineRow): Instant {
  if (row.kind === "entry") return row.body.occurredAt;
  if (row.kind === "timeEntry") return row.body.startedAt;
  return row.body.concludedAt ?? row.updatedAt;
}
