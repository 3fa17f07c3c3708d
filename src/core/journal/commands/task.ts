import { err, LIMITS, ok, type Result } from "#base";
import {
  parentIdOf,
  type BodyOf,
  type CommandOf,
  type JournalError,
  type JournalRead,
  type JournalRecord,
  type RecordId,
  type RecordOf,
} from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import { checkUnseenEdits } from "../conflict.ts";
import type { Draft } from "../draft.ts";
import { ordersAtEnd, readsPastTie } from "../order.ts";
import { givenOf, isSameValue } from "../same-value.ts";
import { moveInList, resolveCategory, resolveLabels } from "./category-label.ts";
import { addChecklist } from "./checklist.ts";
import { stopTimerOn } from "./time.ts";

type TaskKinds = "task.create" | "task.update" | "task.move" | "task.archive" | "task.unarchive" | "task.delete";

export const taskHandlers: HandlersOf<TaskKinds> = {
  "task.create": {
    reads: (command) => [
      idsRead(command.categoryId, ...(command.labelIds ?? [])),
      ...readsByName(command),
      { kind: "place", of: "task", at: "last" },
    ],
    decide: createTask,
  },
  "task.update": {
    reads: ({ id, set }) => [idsRead(id, set.categoryId, ...(set.labelIds ?? []))],
    decide: updateTask,
  },
  "task.move": {
    reads: ({ id, after }) => [
      idsRead(id, after),
      { kind: "place", of: "task", at: after === null ? "first" : { after } },
    ],
    furtherReads: ({ after }, facts) => readsPastTie({ of: "task", after }, facts),
    decide: ({ id, after }, draft) => moveInList(draft, { kind: "task", id, after }),
  },
  "task.archive": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id }, draft) {
      const task = draft.find("task", id);
      if (!task.ok) return task;
      if (task.value.body.archivedAt === null) draft.change(task.value, { archivedAt: draft.at });
      return ok({ subjectId: id });
    },
  },
  "task.unarchive": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id }, draft) {
      const task = draft.find("task", id);
      if (!task.ok) return task;
      draft.change(task.value, { archivedAt: null });
      return ok({ subjectId: id });
    },
  },
  "task.delete": {
    reads: ({ id }) => [{ kind: "tree", id }, idsRead(id), { kind: "running" }, { kind: "links", id }],
    decide: deleteTask,
  },
};

const EMPTY_TASK: Omit<BodyOf<"task">, "title" | "order"> = {
  categoryId: null,
  notes: "",
  status: "OPEN",
  priority: null,
  dueDate: null,
  dueTime: null,
  estimateMinutes: null,
  language: null,
  labelIds: [],
  sourceTaskId: null,
  repeat: null,
  concludedAt: null,
  archivedAt: null,
};

/** A new open task with only what is given. */
export function taskBody(
  given: Partial<BodyOf<"task">> & Pick<BodyOf<"task">, "title" | "order">,
): Result<BodyOf<"task">, JournalError> {
  return checkTask({ ...EMPTY_TASK, ...given });
}

function readsByName({ categoryName, labelNames }: CommandOf<"task.create">): readonly JournalRead[] {
  const categories: JournalRead[] = categoryName === undefined ? [] : [{ kind: "all", of: "category" }];
  return labelNames === undefined ? categories : [...categories, { kind: "all", of: "label" }];
}

function createTask(command: CommandOf<"task.create">, draft: Draft) {
  const { kind: _, categoryId: id, categoryName, labelIds, labelNames, items, ...fields } = command;
  const categoryId = resolveCategory(draft, { id, name: categoryName });
  if (!categoryId.ok) return categoryId;
  const labels = resolveLabels(draft, { ids: labelIds ?? [], names: labelNames ?? [] });
  if (!labels.ok) return labels;
  const order = ordersAtEnd(1, draft.list("task"));
  if (!order.ok) return order;
  const body = taskBody({
    ...givenOf(fields),
    title: command.title,
    categoryId: categoryId.value,
    labelIds: [...labels.value],
    order: order.value[0] ?? "",
  });
  if (!body.ok) return body;
  const subjectId = draft.create("task", body.value);
  if (items !== undefined && items.length > 0) {
    const added = addChecklist(draft, { taskId: subjectId, title: "", items });
    if (!added.ok) return added;
  }
  return ok({ subjectId });
}

function updateTask({ id, set, was }: CommandOf<"task.update">, draft: Draft) {
  const task = draft.find("task", id);
  if (!task.ok) return task;
  const current = task.value.body;
  const clear = checkUnseenEdits({ id, current, set, was });
  if (!clear.ok) return clear;
  const isConcluded = current.status === "DONE" || current.status === "DROPPED";
  if (set.status !== undefined && isConcluded) return err({ code: "task_concluded", id });
  const references = checkReferences(draft, { task: task.value, set });
  if (!references.ok) return references;
  const body = checkTask({ ...current, ...givenOf(set), ...references.value, ...rhythm(current, set) });
  if (!body.ok) return body;
  draft.change(task.value, body.value);
  return ok({ subjectId: id });
}

type TaskSet = CommandOf<"task.update">["set"];

// Staying in an archived category, or keeping a label that was deleted meanwhile, is no new reference.
function checkReferences(
  draft: Draft,
  { task, set }: { readonly task: RecordOf<"task">; readonly set: TaskSet },
): Result<Partial<BodyOf<"task">>, JournalError> {
  const { categoryId, labelIds } = set;
  if (categoryId !== undefined && categoryId !== task.body.categoryId) {
    const category = resolveCategory(draft, { id: categoryId, name: undefined });
    if (!category.ok) return category;
  }
  if (labelIds === undefined) return ok({});
  const had = new Set(task.body.labelIds);
  const kept = labelIds.filter((id) => !had.has(id) || draft.find("label", id).ok);
  const labels = resolveLabels(draft, { ids: kept, names: [] });
  return labels.ok ? ok({ labelIds: [...labels.value] }) : labels;
}

// Taking the date away takes the time of day with it. A repetition is not dropped that quietly: checkTask refuses.
// A date set by hand also sets which day of the month the rhythm belongs to.
function rhythm(current: BodyOf<"task">, set: TaskSet): Partial<BodyOf<"task">> {
  if (set.dueDate === undefined || isSameValue(set.dueDate, current.dueDate)) return {};
  const time = set.dueDate === null && set.dueTime === undefined ? { dueTime: null } : {};
  if (set.repeat !== undefined || current.repeat === null) return time;
  const { anchorDay: _, ...repeat } = current.repeat;
  return { ...time, repeat };
}

function checkTask(body: BodyOf<"task">): Result<BodyOf<"task">, JournalError> {
  if (body.dueTime !== null && body.dueDate === null) return err({ code: "due_time_without_date" });
  if (body.repeat !== null && body.dueDate === null) return err({ code: "repeat_without_date" });
  if (body.labelIds.length > LIMITS.labelsPerTask) {
    return err({ code: "limit_reached", limit: "labelsPerTask", max: LIMITS.labelsPerTask });
  }
  return ok(body);
}

// Its checklists, items and links go with the task. Time that was really spent stays, under the task's id: a week's
// hours must not shrink because a task was tidied away.
function deleteTask({ id }: CommandOf<"task.delete">, draft: Draft) {
  const task = draft.find("task", id);
  if (!task.ok) return task;
  stopTimerOn(draft, id);
  draft.remove(task.value);
  for (const record of belowTask(draft, id)) draft.remove(record);
  removeLinksOf(draft, id);
  return ok({ subjectId: id });
}

/** The checklists of a task and their items, without time entries. */
function belowTask(draft: Draft, taskId: RecordId): readonly JournalRecord[] {
  const checklists = draft.list("checklist").filter((checklist) => parentIdOf(checklist) === taskId);
  const ids = new Set<RecordId>(checklists.map((checklist) => checklist.id));
  return [...checklists, ...draft.list("checklistItem").filter((item) => ids.has(item.body.checklistId))];
}

export function removeLinksOf(draft: Draft, id: RecordId): void {
  for (const link of draft.list("link")) {
    if (link.body.fromId === id || link.body.toId === id) draft.remove(link);
  }
}
