import { ok, type Result } from "#base";
import type { BodyOf, CommandOf, JournalError, RecordId } from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import { checkUnseenEdits } from "../conflict.ts";
import type { Draft } from "../draft.ts";
import { givenOf } from "../same-value.ts";
import { removeLinksOf } from "./task.ts";

export const entryHandlers: HandlersOf<"entry.create" | "entry.update" | "entry.delete"> = {
  "entry.create": {
    reads: ({ categoryId, taskId }) => [idsRead(categoryId, taskId)],
    decide(command, draft) {
      const { kind: _, ...fields } = command;
      const references = checkReferences(draft, fields);
      if (!references.ok) return references;
      const body: BodyOf<"entry"> = { ...EMPTY_ENTRY, ...givenOf(fields), ...required(fields) };
      return ok({ subjectId: draft.create("entry", body) });
    },
  },
  "entry.update": {
    reads: ({ id, set }) => [idsRead(id, set.categoryId, set.taskId)],
    decide: updateEntry,
  },
  // Time entries made from this one keep naming it; they show it as deleted.
  "entry.delete": {
    reads: ({ id }) => [idsRead(id), { kind: "links", id }],
    decide({ id }, draft) {
      const entry = draft.find("entry", id);
      if (!entry.ok) return entry;
      draft.remove(entry.value);
      removeLinksOf(draft, id);
      return ok({ subjectId: id });
    },
  },
};

const EMPTY_ENTRY = { categoryId: null, taskId: null, workoutType: null, durationSeconds: null } as const;

function required({ form, occurredAt, text }: Pick<BodyOf<"entry">, "form" | "occurredAt" | "text">) {
  return { form, occurredAt, text };
}

function updateEntry({ id, set, was }: CommandOf<"entry.update">, draft: Draft) {
  const entry = draft.find("entry", id);
  if (!entry.ok) return entry;
  const current = entry.value.body;
  const clear = checkUnseenEdits({ id, current, set, was });
  if (!clear.ok) return clear;
  const references = checkReferences(draft, {
    categoryId: set.categoryId === current.categoryId ? null : set.categoryId,
    taskId: set.taskId === current.taskId ? null : set.taskId,
  });
  if (!references.ok) return references;
  draft.change(entry.value, givenOf(set));
  return ok({ subjectId: id });
}

type References = { readonly categoryId?: RecordId | null | undefined; readonly taskId?: RecordId | null | undefined };

function checkReferences(draft: Draft, { categoryId, taskId }: References): Result<void, JournalError> {
  const category = categoryId === null || categoryId === undefined ? ok() : draft.find("category", categoryId);
  if (!category.ok) return category;
  const task = taskId === null || taskId === undefined ? ok() : draft.find("task", taskId);
  return task.ok ? ok() : task;
}
