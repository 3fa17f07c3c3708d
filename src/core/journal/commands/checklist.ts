import { err, ok, type Result } from "#base";
import {
  parentIdOf,
  type CommandOf,
  type JournalCommand,
  type JournalError,
  type JournalFacts,
  type JournalRead,
  type RecordId,
  type RecordOf,
} from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import type { Draft } from "../draft.ts";
import { byOrder, gapAfter, ordersAtEnd, ordersBetween, type Gap } from "../order.ts";
import { givenOf } from "../same-value.ts";

type ChecklistKinds = "checklist.create" | "checklist.update" | "checklist.delete";
type ItemKinds = "item.add" | "item.update" | "item.move" | "item.delete";

export const checklistHandlers: HandlersOf<ChecklistKinds | ItemKinds> = {
  "checklist.create": {
    reads: ({ taskId }) => [{ kind: "tree", id: taskId }],
    decide({ taskId, title, items }, draft) {
      const task = draft.find("task", taskId);
      if (!task.ok) return task;
      const id = addChecklist(draft, { taskId, title, items });
      return id.ok ? ok({ subjectId: id.value }) : id;
    },
  },
  "checklist.update": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id, title }, draft) {
      const checklist = draft.find("checklist", id);
      if (!checklist.ok) return checklist;
      draft.change(checklist.value, { title });
      return ok({ subjectId: id });
    },
  },
  "checklist.delete": {
    reads: ({ id }) => [{ kind: "tree", id }],
    decide({ id }, draft) {
      const checklist = draft.find("checklist", id);
      if (!checklist.ok) return checklist;
      draft.remove(checklist.value);
      for (const item of itemsOf(draft, id)) draft.remove(item);
      return ok({ subjectId: id });
    },
  },
  "item.add": {
    reads: ({ checklistId }) => [{ kind: "tree", id: checklistId }],
    decide({ checklistId, titles }, draft) {
      const checklist = draft.find("checklist", checklistId);
      if (!checklist.ok) return checklist;
      const ids = addItems(draft, { checklistId, titles });
      return ids.ok ? ok({ subjectId: ids.value[0] ?? null }) : ids;
    },
  },
  "item.update": {
    reads: ({ items }) => [idsRead(...items.map((item) => item.id))],
    furtherReads: readChecklists,
    decide({ items }, draft) {
      for (const { id, ...fields } of items) {
        const item = draft.find("checklistItem", id);
        if (!item.ok) return item;
        draft.change(item.value, givenOf(fields));
      }
      return ok({ subjectId: items[0]?.id ?? null });
    },
  },
  "item.move": {
    reads: ({ itemIds, fromChecklistId, toChecklistId }) => [
      idsRead(...itemIds),
      { kind: "tree", id: fromChecklistId },
      { kind: "tree", id: toChecklistId },
    ],
    decide: moveItems,
  },
  "item.delete": {
    reads: ({ itemIds }) => [idsRead(...itemIds)],
    furtherReads: readChecklists,
    decide({ itemIds }, draft) {
      for (const id of itemIds) {
        const item = draft.find("checklistItem", id);
        if (!item.ok) return item;
        draft.remove(item.value);
      }
      return ok({ subjectId: itemIds[0] ?? null });
    },
  },
};

// Nothing is decided on them: they name the task of an item, for those who listen to changes of that task.
function readChecklists(_command: JournalCommand, facts: JournalFacts): readonly JournalRead[] {
  return [idsRead(...[...facts.records.values()].map((record) => parentIdOf(record)))];
}

type NewChecklist = { readonly taskId: RecordId; readonly title: string; readonly items: readonly string[] };

/** A checklist at the end of a task, with its items. */
export function addChecklist(draft: Draft, { taskId, title, items }: NewChecklist): Result<RecordId, JournalError> {
  const siblings = draft.list("checklist").filter((checklist) => checklist.body.taskId === taskId);
  const order = ordersAtEnd(1, siblings);
  if (!order.ok) return order;
  const checklistId = draft.create("checklist", { taskId, title, order: order.value[0] ?? "" });
  const added = addItems(draft, { checklistId, titles: items });
  return added.ok ? ok(checklistId) : added;
}

export function itemsOf(draft: Draft, checklistId: RecordId): readonly RecordOf<"checklistItem">[] {
  return draft
    .list("checklistItem")
    .filter((item) => item.body.checklistId === checklistId)
    .toSorted(byOrder);
}

function addItems(
  draft: Draft,
  { checklistId, titles }: { readonly checklistId: RecordId; readonly titles: readonly string[] },
): Result<readonly RecordId[], JournalError> {
  const orders = ordersAtEnd(titles.length, itemsOf(draft, checklistId));
  if (!orders.ok) return orders;
  return ok(
    titles.map((title, index) =>
      draft.create("checklistItem", { checklistId, title, checked: false, order: orders.value[index] ?? "" }),
    ),
  );
}

// All or none: the first item that is not where it is said to be refuses the whole move. [JOURNAL-04]
function moveItems(command: CommandOf<"item.move">, draft: Draft) {
  const { fromChecklistId, toChecklistId } = command;
  for (const id of [fromChecklistId, toChecklistId]) {
    const checklist = draft.find("checklist", id);
    if (!checklist.ok) return checklist;
  }
  const moved = new Set<RecordId>();
  for (const id of command.itemIds) {
    const item = draft.find("checklistItem", id);
    if (!item.ok) return item;
    if (item.value.body.checklistId !== fromChecklistId) {
      return err({ code: "item_not_in_checklist", id, checklistId: fromChecklistId });
    }
    moved.add(id);
  }
  const staying = itemsOf(draft, toChecklistId).filter((item) => !moved.has(item.id));
  const gap = gapFor(command, staying);
  if (!gap.ok) return gap;
  const items = itemsOf(draft, fromChecklistId).filter((item) => moved.has(item.id));
  const orders = ordersBetween(items.length, gap.value);
  if (!orders.ok) return orders;
  items.forEach((item, index) => {
    const checked = command.preserveCheckedState && item.body.checked;
    draft.change(item, { checklistId: toChecklistId, checked, order: orders.value[index] ?? item.body.order });
  });
  return ok({ subjectId: command.itemIds[0] ?? null });
}

function gapFor(
  { after, toChecklistId }: CommandOf<"item.move">,
  staying: readonly RecordOf<"checklistItem">[],
): Result<Gap, JournalError> {
  if (after === undefined) return ok({ before: staying.at(-1), after: undefined });
  if (after === null) return ok(gapAfter(undefined, staying));
  const before = staying.find((item) => item.id === after);
  if (before === undefined) return err({ code: "item_not_in_checklist", id: after, checklistId: toChecklistId });
  return ok(gapAfter(before, staying));
}
