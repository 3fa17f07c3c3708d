import { err, ok, type LocalDate, type Result } from "#base";
import type { CommandOf, JournalError, JournalRead, RecordId, RecordOf } from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import type { Draft } from "../draft.ts";
import { byOrder, gapAfter, ordersBetween, readsPastTie } from "../order.ts";
import { nextDue } from "../repeat.ts";
import { resolveCategory } from "./category-label.ts";
import { itemsOf } from "./checklist.ts";
import { taskBody } from "./task.ts";
import { stopTimerOn } from "./time.ts";

export const concludeHandlers: HandlersOf<"task.conclude" | "task.reopen" | "task.followUp"> = {
  "task.conclude": {
    reads: ({ id }) => readsAround(id),
    furtherReads: ({ id }, facts) => readsPastTie({ of: "task", after: id }, facts),
    decide({ id, as, today }, draft) {
      const task = draft.find("task", id);
      if (!task.ok) return task;
      const [nextOrder] = placesBehind(draft, task.value);
      const concluded = conclude(draft, { task: task.value, as, today, nextOrder });
      return concluded.ok ? ok({ subjectId: id }) : concluded;
    },
  },
  "task.reopen": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id }, draft) {
      const task = draft.find("task", id);
      if (!task.ok) return task;
      if (task.value.body.concludedAt === null) return err({ code: "task_not_concluded", id });
      draft.change(task.value, { status: "OPEN", concludedAt: null });
      return ok({ subjectId: id });
    },
  },
  "task.followUp": {
    reads: ({ sourceTaskId }) => [
      ...readsAround(sourceTaskId),
      { kind: "all", of: "category" },
      { kind: "all", of: "label" },
    ],
    furtherReads: ({ sourceTaskId }, facts) => readsPastTie({ of: "task", after: sourceTaskId }, facts),
    decide: followUp,
  },
};

function readsAround(id: RecordId): readonly JournalRead[] {
  return [{ kind: "tree", id }, { kind: "running" }, { kind: "place", of: "task", at: { after: id } }];
}

// Where there is no room left the new tasks share the place of the old one: a list a little out of order is better
// than a task that cannot be concluded.
function placesBehind(draft: Draft, task: RecordOf<"task">): readonly [string, string] {
  const orders = ordersBetween(2, gapAfter(task, draft.list("task")));
  const [first, second] = orders.ok ? orders.value : [];
  return [first ?? task.body.order, second ?? task.body.order];
}

type Conclusion = {
  readonly task: RecordOf<"task">;
  readonly as: "DONE" | "DROPPED";
  readonly today: LocalDate | undefined;
  /** Where the next occurrence goes, if there is one. */
  readonly nextOrder: string;
};

// Concluding twice in the same way changes nothing; in another way is a decision to be taken by reopening first.
function conclude(draft: Draft, { task, as, today, nextOrder }: Conclusion): Result<void, JournalError> {
  if (task.body.status === as) return ok();
  if (task.body.concludedAt !== null) return err({ code: "task_concluded", id: task.id });
  draft.change(task, { status: as, concludedAt: draft.at });
  stopTimerOn(draft, task.id);
  return repeatTask(draft, { task, today: today ?? (draft.at.slice(0, 10) as LocalDate), order: nextOrder });
}

// Dropping one occurrence skips it; the rhythm ends when the repetition is cleared.
function repeatTask(
  draft: Draft,
  { task, today, order }: { readonly task: RecordOf<"task">; readonly today: LocalDate; readonly order: string },
): Result<void, JournalError> {
  const { repeat, dueDate } = task.body;
  if (repeat === null || dueDate === null) return ok();
  const next = nextDue({ repeat, dueDate, today });
  if (next === null) return ok();
  const open = { status: "OPEN", concludedAt: null, archivedAt: null, sourceTaskId: null } as const;
  const body = taskBody({ ...task.body, ...open, ...next, order });
  if (!body.ok) return body;
  const taskId = draft.create("task", body.value);
  for (const checklist of checklistsOf(draft, task.id)) {
    const checklistId = draft.create("checklist", { ...checklist.body, taskId });
    for (const item of itemsOf(draft, checklist.id)) {
      draft.create("checklistItem", { ...item.body, checklistId, checked: false });
    }
  }
  return ok();
}

function followUp(command: CommandOf<"task.followUp">, draft: Draft) {
  const source = draft.find("task", command.sourceTaskId);
  if (!source.ok) return source;
  const [order, nextOrder] = placesBehind(draft, source.value);
  const created = createFollowUp(draft, { command, source: source.value, order });
  if (!created.ok) return created;
  const subjectId = created.value;
  // The next occurrence of a repeating source copies its checklists as they were, so it is decided on the same facts.
  if (command.closeSourceTaskAs !== null) {
    const conclusion = { task: source.value, as: command.closeSourceTaskAs, today: command.today, nextOrder };
    const concluded = conclude(draft, conclusion);
    if (!concluded.ok) return concluded;
  }
  if (command.carryOverOpenChecklistItems) carryOver(draft, { from: source.value.id, to: subjectId });
  return ok({ subjectId });
}

type FollowUp = {
  readonly command: CommandOf<"task.followUp">;
  readonly source: RecordOf<"task">;
  readonly order: string;
};

function createFollowUp(draft: Draft, { command, source, order }: FollowUp): Result<RecordId, JournalError> {
  const { categoryId, labelIds, language } = source.body;
  const isKept = command.preserveCategoryAndLabels;
  const isThere = isKept && categoryId !== null && draft.find("category", categoryId).ok;
  const category = resolveCategory(draft, { id: isThere ? categoryId : null, name: undefined });
  if (!category.ok) return category;
  const body = taskBody({
    title: command.newTaskTitle,
    language,
    categoryId: category.value,
    labelIds: isKept ? labelIds.filter((id) => draft.find("label", id).ok) : [],
    sourceTaskId: source.id,
    order,
  });
  return body.ok ? ok(draft.create("task", body.value)) : body;
}

// Open items move with their ids and order; checked ones are history and stay. [JOURNAL-04, TOOL-42]
function carryOver(draft: Draft, { from, to }: { readonly from: RecordId; readonly to: RecordId }): void {
  for (const checklist of checklistsOf(draft, from)) {
    const open = itemsOf(draft, checklist.id).filter((item) => !item.body.checked);
    if (open.length === 0) continue;
    const checklistId = draft.create("checklist", { ...checklist.body, taskId: to });
    for (const item of open) draft.change(item, { checklistId });
  }
}

function checklistsOf(draft: Draft, taskId: RecordId): readonly RecordOf<"checklist">[] {
  return draft
    .list("checklist")
    .filter((checklist) => checklist.body.taskId === taskId)
    .toSorted(byOrder);
}
