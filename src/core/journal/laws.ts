import { dayPlanId, ratingId, type JournalRecord } from "#model";

/** What holds for a single record beyond its shape, wherever it comes from. Null when it keeps all of it. */
export function brokenLawOf(record: Pick<JournalRecord, "id" | "kind" | "body">): string | null {
  const { id, kind, body } = record as JournalRecord;
  switch (kind) {
    case "task":
      if ((body.status === "DONE" || body.status === "DROPPED") !== (body.concludedAt !== null)) {
        return "a task is concluded exactly when it has a time of conclusion";
      }
      if (body.dueDate === null && (body.dueTime !== null || body.repeat !== null)) {
        return "a due time or a repetition needs a due date";
      }
      return hasDuplicates(body.labelIds) ? "a label is on a task once" : null;
    case "timeEntry":
      return body.endedAt !== null && body.endedAt <= body.startedAt ? "JOURNAL-05 an end is after its start" : null;
    case "planBlock":
      return body.endTime <= body.startTime ? "JOURNAL-07 a block ends after it starts" : null;
    case "dayPlan":
      if (id !== dayPlanId(body.planDate)) return "JOURNAL-07 the id of a day plan follows from its date";
      return hasDuplicates(body.pinnedTaskIds) ? "a task is pinned once" : null;
    case "rating":
      return id === ratingId(body.targetType, body.targetId)
        ? null
        : "JOURNAL-08 the id of a rating follows from its target";
    case "link":
      return body.fromId === body.toId ? "a link has two ends" : null;
    default:
      return null;
  }
}

const hasDuplicates = (ids: readonly string[]): boolean => new Set(ids).size !== ids.length;
