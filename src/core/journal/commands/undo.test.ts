import { expect, test } from "vitest";
import { createBook } from "../../../../test/journal-book.ts";

const refusal = (result: { readonly ok: boolean }) => ("error" in result ? result.error : "accepted");

test("undoing puts bodies back, undoing that does it again", () => {
  const book = createBook();
  const created = book.must({ kind: "task.create", title: "one", items: ["i"] });
  const id = created.subjectId;
  const changed = book.must({ kind: "task.update", id, set: { title: "two" } });
  const undone = book.must({ kind: "undo", operationId: changed.operationId });
  expect([book.one("task", id).body.title, undone.undoes]).toEqual(["one", changed.operationId]);
  book.must({ kind: "undo", operationId: undone.operationId });
  expect(book.one("task", id).body.title).toBe("two");
  expect(refusal(book.run({ kind: "undo", operationId: changed.operationId }))).toEqual({
    code: "already_undone",
    operationId: changed.operationId,
  });
  expect(refusal(book.run({ kind: "undo", operationId: "gone" }))).toMatchObject({ what: "operation" });
});

test("undoing a creation deletes, and redoing it brings the same record back", () => {
  const book = createBook();
  const created = book.must({ kind: "task.create", title: "one", items: ["i"] });
  const undone = book.must({ kind: "undo", operationId: created.operationId });
  expect([book.live("task"), book.live("checklistItem")]).toEqual([[], []]);
  book.must({ kind: "undo", operationId: undone.operationId });
  expect(book.one("task", created.subjectId).body.title).toBe("one");
});

test("what was changed since is not undone, and the record is named", () => {
  const book = createBook();
  const { subjectId: id, operationId } = book.must({ kind: "task.create", title: "one" });
  book.must({ kind: "task.update", id, set: { title: "two" } });
  expect(refusal(book.run({ kind: "undo", operationId }))).toEqual({ code: "changed_since", id });
});

test("a task that got a checklist since, or an item whose checklist is gone, cannot be undone into an orphan", () => {
  const book = createBook();
  const created = book.must({ kind: "task.create", title: "one" });
  const list = book.must({ kind: "checklist.create", taskId: created.subjectId, title: "", items: ["a", "b"] });
  expect(refusal(book.run({ kind: "undo", operationId: created.operationId }))).toEqual({
    code: "changed_since",
    id: list.subjectId,
  });
  const item = book.live("checklistItem")[0]?.id;
  const deleted = book.must({ kind: "item.delete", itemIds: [item] });
  book.must({ kind: "checklist.delete", id: list.subjectId });
  expect(refusal(book.run({ kind: "undo", operationId: deleted.operationId }))).toEqual({
    code: "changed_since",
    id: list.subjectId,
  });
});

test("undoing never makes a second timer run and never gives a name twice", () => {
  const book = createBook();
  const NOW = "2026-11-15T12:00:00.000Z";
  const start = { kind: "timer.start", taskId: null, startedAt: "2026-11-15T11:00:00Z", description: "" };
  book.must(start, NOW);
  const stopped = book.must({ kind: "timer.stop", endedAt: NOW }, NOW);
  const { subjectId: entryId } = book.must(start, NOW);
  expect(refusal(book.run({ kind: "undo", operationId: stopped.operationId }))).toEqual({
    code: "timer_running",
    entryId,
    taskId: null,
  });
  const label = book.must({ kind: "label.create", name: "x" });
  const deleted = book.must({ kind: "label.delete", id: label.subjectId });
  book.must({ kind: "label.create", name: "X" });
  expect(refusal(book.run({ kind: "undo", operationId: deleted.operationId }))).toMatchObject({ code: "name_taken" });
});

test("undoing one creation of a label leaves it in use nowhere, and redoing brings it back on its tasks", () => {
  const book = createBook();
  const label = book.must({ kind: "label.create", name: "x" });
  const { subjectId: id } = book.must({ kind: "task.create", title: "t", labelIds: [label.subjectId] });
  const undone = book.must({ kind: "undo", operationId: label.operationId });
  expect(book.live("label")).toEqual([]);
  book.must({ kind: "undo", operationId: undone.operationId });
  expect(book.one("task", id).body.labelIds).toEqual(book.live("label").map((record) => record.id));
});
