import { describe, expect, test } from "vitest";
import { createBook } from "../../../../test/journal-book.ts";

const code = (result: { readonly ok: boolean }) =>
  "error" in result ? (result.error as { readonly code: string }).code : "accepted";

describe("concluding", () => {
  test("[JOURNAL-03] concluding sets status and moment, stops the task's own timer, and can be taken back", () => {
    const book = createBook();
    const { subjectId: id } = book.must({ kind: "task.create", title: "t" });
    book.must({ kind: "timer.start", taskId: id, startedAt: "2026-11-15T09:00:00Z", description: "" });
    book.must({ kind: "task.conclude", id, as: "DONE" }, "2026-11-15T11:00:00.000Z");
    expect(book.one("task", id).body).toMatchObject({ status: "DONE", concludedAt: "2026-11-15T11:00:00.000Z" });
    expect(book.live("timeEntry")[0]?.body.endedAt).toBe("2026-11-15T11:00:00.000Z");
    expect(book.must({ kind: "task.conclude", id, as: "DONE" }).writes).toEqual([]);
    expect(code(book.run({ kind: "task.conclude", id, as: "DROPPED" }))).toBe("task_concluded");
    expect(code(book.run({ kind: "task.update", id, set: { status: "OPEN" } }))).toBe("task_concluded");
    book.must({ kind: "task.reopen", id });
    expect(book.one("task", id).body).toMatchObject({ status: "OPEN", concludedAt: null });
  });

  test("a timer on another task keeps running, and a clock that went back never keeps a task open", () => {
    const book = createBook();
    const { subjectId: one } = book.must({ kind: "task.create", title: "1" });
    const { subjectId: two } = book.must({ kind: "task.create", title: "2" });
    book.must({ kind: "timer.start", taskId: two, startedAt: "2026-11-15T10:00:00Z", description: "" });
    book.must({ kind: "task.conclude", id: one, as: "DONE" });
    expect(book.live("timeEntry")[0]?.body.endedAt).toBeNull();
    book.must({ kind: "task.conclude", id: two, as: "DONE" }, "2026-11-15T08:00:00.000Z");
    expect(book.live("timeEntry")[0]?.body.endedAt).toBe("2026-11-15T10:00:00.001Z");
  });

  test("a repeating task comes back open, with its labels and its checklists unchecked", () => {
    const book = createBook();
    const { subjectId: id } = book.must({
      kind: "task.create",
      title: "Water",
      categoryName: "Home",
      labelNames: ["plants"],
      items: ["kitchen", "hall"],
      dueDate: "2026-11-15",
      dueTime: "18:00",
      repeat: { every: 3, unit: "day", weekdays: [], from: "due" },
    });
    const [first] = book.live("checklistItem");
    book.must({ kind: "item.update", items: [{ id: first?.id, checked: true }] });
    book.must({ kind: "task.conclude", id, as: "DONE", today: "2026-11-15" });
    const next = book.live("task").find((task) => task.id !== id);
    const done = book.one("task", id).body;
    expect(next?.body).toMatchObject({
      title: "Water",
      status: "OPEN",
      dueDate: "2026-11-18",
      dueTime: "18:00",
      categoryId: done.categoryId,
      labelIds: done.labelIds,
      concludedAt: null,
    });
    const copies = book.live("checklistItem").slice(2);
    expect(copies.map(({ body }) => [body.title, body.checked])).toEqual([
      ["kitchen", false],
      ["hall", false],
    ]);
    expect(book.live("checklist").map(({ body }) => body.taskId)).toEqual([id, next?.id]);
  });

  test("without a day of the owner the UTC day of the conclusion counts", () => {
    const book = createBook();
    const repeat = { every: 1, unit: "day", weekdays: [], from: "done" };
    const { subjectId: id } = book.must({ kind: "task.create", title: "x", dueDate: "2026-01-01", repeat });
    book.must({ kind: "task.conclude", id, as: "DROPPED" }, "2026-11-15T23:30:00.000Z");
    expect(book.live("task").find((task) => task.id !== id)?.body.dueDate).toBe("2026-11-16");
  });
});

describe("follow-up", () => {
  const start = () => {
    const book = createBook();
    const { subjectId: id } = book.must({
      kind: "task.create",
      title: "Move house",
      categoryName: "Home",
      labelNames: ["big"],
      items: ["pack", "paint", "keys"],
    });
    const [pack, paint, keys] = book.live("checklistItem");
    book.must({ kind: "item.update", items: [{ id: paint?.id, checked: true }] });
    return { book, id, pack, paint, keys };
  };
  const command = {
    kind: "task.followUp",
    newTaskTitle: "Move house, rest",
    carryOverOpenChecklistItems: true,
    closeSourceTaskAs: "DONE",
    preserveCategoryAndLabels: true,
  };

  test("[JOURNAL-03] a follow-up is linked to its source, keeps category and labels, and closes the source", () => {
    const { book, id } = start();
    const source = book.one("task", id).body;
    const { subjectId } = book.must({ ...command, sourceTaskId: id });
    expect(book.one("task", subjectId).body).toMatchObject({
      title: "Move house, rest",
      sourceTaskId: id,
      categoryId: source.categoryId,
      labelIds: source.labelIds,
      status: "OPEN",
    });
    expect(book.one("task", id).body.status).toBe("DONE");
  });

  test("[JOURNAL-04] open items move with their ids, checked ones stay, none is lost or doubled", () => {
    const { book, id, pack, paint, keys } = start();
    const before = book.live("checklistItem").map((item) => item.id);
    const { subjectId } = book.must({ ...command, sourceTaskId: id });
    const listOf = (taskId: unknown) => book.live("checklist").find((list) => list.body.taskId === taskId)?.id;
    const itemsOf = (taskId: unknown) =>
      book.live("checklistItem").filter((item) => item.body.checklistId === listOf(taskId));
    expect(itemsOf(subjectId).map((item) => item.id)).toEqual([pack?.id, keys?.id]);
    expect(itemsOf(id).map((item) => item.id)).toEqual([paint?.id]);
    expect(book.live("checklistItem").map((item) => item.id)).toEqual(before);
  });

  test("without the flags nothing is carried, kept or closed", () => {
    const { book, id } = start();
    const plain = {
      carryOverOpenChecklistItems: false,
      closeSourceTaskAs: null,
      preserveCategoryAndLabels: false,
    };
    const { subjectId, writes } = book.must({ ...command, ...plain, sourceTaskId: id });
    expect(writes.map((write) => write.id)).toEqual([subjectId]);
    expect(book.one("task", subjectId).body).toMatchObject({ categoryId: null, labelIds: [] });
  });

  test("one follow-up is one undo step", () => {
    const { book, id } = start();
    const bodies = () =>
      new Map([...book.records.values()].filter((r) => r.deletedAt === null).map((r) => [r.id, r.body]));
    const before = bodies();
    const { operationId } = book.must({ ...command, sourceTaskId: id });
    book.must({ kind: "undo", operationId });
    expect(bodies()).toEqual(before);
  });

  test("a repeating source gives its next occurrence as well, at a place of its own", () => {
    const { book, id } = start();
    const repeat = { every: 1, unit: "week", weekdays: [], from: "due" };
    book.must({ kind: "task.update", id, set: { dueDate: "2026-11-15", repeat } });
    book.must({ ...command, sourceTaskId: id, today: "2026-11-15" });
    const orders = book.live("task").map((task) => task.body.order);
    expect(orders.length).toBe(3);
    expect(new Set(orders).size).toBe(3);
    expect(book.live("checklistItem").length).toBe(6);
  });
});
