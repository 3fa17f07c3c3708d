import { err, ok, type Result } from "#base";
import type { JournalError, RecordId } from "#model";
import { isSameValue } from "./same-value.ts";

type Edit = {
  readonly id: RecordId;
  readonly current: object;
  readonly set: object;
  readonly was: object | undefined;
};

/**
 * Compares what the author saw with what is there now, field by field. Only a field that someone else changed to
 * a third value is a conflict: nobody's words are overwritten unseen, and nobody is asked about other fields.
 */
export function checkUnseenEdits({ id, current, set, was = {} }: Edit): Result<void, JournalError> {
  const seen = new Map(Object.entries(was));
  const now = new Map(Object.entries(current));
  for (const [field, yours] of Object.entries(set)) {
    if (yours === undefined || seen.get(field) === undefined) continue;
    const theirs: unknown = now.get(field);
    if (isSameValue(theirs, seen.get(field)) || isSameValue(theirs, yours)) continue;
    return err({ code: "edit_conflict", id, field, yours, theirs });
  }
  return ok();
}
