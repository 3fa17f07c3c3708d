import { assert } from "#base";
import { parentIdOf, type ChangeToken, type JournalRecord, type RecordId, type RecordKind } from "#model";
import { createToken, uniqueTokens } from "./token.ts";

/**
 * What a committed change of a record is about: its kind, its id and that of its parent, and what it was and is now,
 * so that those who follow a category hear of a task that leaves it. [JOURNAL-10]
 */
export function tokensOf(record: JournalRecord, before: JournalRecord | null): readonly ChangeToken[] {
  const versions = before === null ? [record] : [before, record];
  return uniqueTokens([...versions.flatMap(tokensOfVersion), subtype("change", changeOf(record, before))]);
}

/** The ids above a record, as far as these records tell: the task of an item through its checklist. */
export function ancestorTokens(
  record: JournalRecord,
  records: ReadonlyMap<RecordId, JournalRecord>,
): readonly ChangeToken[] {
  const ids: RecordId[] = [];
  let parentId = parentIdOf(record);
  while (parentId !== null && !ids.includes(parentId)) {
    ids.push(parentId);
    const parent = records.get(parentId);
    parentId = parent === undefined ? null : parentIdOf(parent);
  }
  return ids.map(entity);
}

/** The semantic key of each kind. Observed and spoken entries have one of their own besides. */
const KEY_BY_KIND: { readonly [K in RecordKind]: string } = {
  category: "CATEGORY",
  label: "LABEL",
  task: "TASK",
  checklist: "CHECKLIST",
  checklistItem: "CHECKLIST_ITEM",
  timeEntry: "TIME_ENTRY",
  entry: "JOURNAL_ENTRY",
  dayPlan: "DAY_PLAN",
  planBlock: "PLAN_BLOCK",
  rating: "RATING",
  link: "LINK",
};

function tokensOfVersion(record: JournalRecord): readonly ChangeToken[] {
  const parentId = parentIdOf(record);
  const own = [semantic(KEY_BY_KIND[record.kind]), entity(record.id), ...subtypesOf(record)];
  return parentId === null ? own : [...own, entity(parentId)];
}

function subtypesOf(record: JournalRecord): readonly ChangeToken[] {
  const { kind, body } = record;
  switch (kind) {
    case "task":
      return [
        subtype("taskStatus", body.status),
        ...inCategory(body.categoryId),
        ...body.labelIds.map((id) => subtype("label", id)),
        ...(body.sourceTaskId === null ? [] : [entity(body.sourceTaskId)]),
      ];
    case "entry":
      return entrySubtypes(record);
    case "timeEntry":
      return [subtype("timeEntry", body.endedAt === null ? "running" : "ended")];
    case "checklistItem":
      return [subtype("checklistItem", body.checked ? "checked" : "open")];
    case "dayPlan":
      return [subtype("planDate", body.planDate)];
    case "planBlock":
      return [...inCategory(body.categoryId), ...(body.taskId === null ? [] : [entity(body.taskId)])];
    case "rating":
      return [subtype("ratingTarget", body.targetType), entity(body.targetId)];
    case "link":
      return [subtype("linkRelation", body.relation), entity(body.fromId), entity(body.toId)];
    default:
      return [];
  }
}

function entrySubtypes({ body }: Extract<JournalRecord, { readonly kind: "entry" }>): readonly ChangeToken[] {
  const isWorkout = body.form === "observed" && body.workoutType !== null;
  return [
    subtype("entryForm", body.form),
    ...(isWorkout ? [semantic("WORKOUT")] : []),
    ...(body.form === "audio" ? [semantic("AUDIO")] : []),
    ...(body.workoutType === null ? [] : [subtype("workoutType", body.workoutType)]),
    ...inCategory(body.categoryId),
    ...(body.taskId === null ? [] : [entity(body.taskId)]),
  ];
}

function changeOf(record: JournalRecord, before: JournalRecord | null): string {
  if (record.deletedAt !== null) return "deleted";
  if (before === null) return "created";
  return before.deletedAt === null ? "updated" : "restored";
}

const inCategory = (id: RecordId | null): readonly ChangeToken[] => (id === null ? [] : [subtype("category", id)]);

const semantic = (tokenValue: string) => token({ tokenClass: "semanticKey", tokenValue });
const entity = (tokenValue: string) => token({ tokenClass: "entityId", tokenValue });
const subtype = (tokenNamespace: string, tokenValue: string) =>
  token({ tokenClass: "subtypeToken", tokenNamespace, tokenValue });

function token(given: ChangeToken): ChangeToken {
  const created = createToken(given);
  assert(created.ok, "TOKEN-01 a record's own tokens are valid");
  return created.value;
}
