import { dayPlanId, type JournalRecord, type RecordId, type RecordKind } from "#model";
import type { Instant } from "#base";

/** The line a list shows for a record of any kind. Time entries and ratings without words of their own are empty. */
export function titleOf(record: JournalRecord): string {
  switch (record.kind) {
    case "category":
    case "label":
      return record.body.name;
    case "task":
    case "checklist":
    case "checklistItem":
      return record.body.title;
    case "timeEntry":
      return firstLine(record.body.description);
    case "entry":
      return firstLine(record.body.text);
    case "dayPlan":
      return record.body.planDate;
    case "planBlock":
    case "rating":
      return firstLine(record.body.note);
    case "link":
      return "";
  }
}

/** The texts search looks into. The generated columns of the table name the same fields. */
export function searchableOf({ body }: JournalRecord): { readonly title: string; readonly text: string } {
  const title = "title" in body ? body.title : "name" in body ? body.name : "";
  return { title, text: textOf(body) };
}

function textOf(body: JournalRecord["body"]): string {
  if ("notes" in body) return body.notes;
  if ("text" in body) return body.text;
  if ("description" in body) return body.description;
  return "note" in body ? body.note : "";
}

/** The moment a person connects with the record. */
export function momentOf(record: JournalRecord): Instant {
  if (record.kind === "entry") return record.body.occurredAt;
  if (record.kind === "timeEntry") return record.body.startedAt;
  return record.updatedAt;
}

type Opening = { readonly id: RecordId; readonly kind: RecordKind };

/** What to open for a hit; `find` looks up a record that is one step away. Parts open their whole. */
export function openingOf(record: JournalRecord, find: (id: RecordId) => JournalRecord | null): Opening {
  switch (record.kind) {
    case "checklist":
      return { id: record.body.taskId, kind: "task" };
    case "checklistItem": {
      const checklist = find(record.body.checklistId);
      return checklist?.kind === "checklist" ? { id: checklist.body.taskId, kind: "task" } : itself(record);
    }
    case "timeEntry":
      return record.body.taskId === null ? itself(record) : { id: record.body.taskId, kind: "task" };
    case "planBlock":
      return { id: record.body.planId, kind: "dayPlan" };
    case "rating":
      if (record.body.targetType === "day") return { id: dayPlanId(record.body.targetId), kind: "dayPlan" };
      return { id: record.body.targetId, kind: record.body.targetType };
    default:
      return itself(record);
  }
}

const itself = (record: JournalRecord): Opening => ({ id: record.id, kind: record.kind });

const TITLE_CHARS = 120;

function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return [...line].slice(0, TITLE_CHARS).join("");
}
