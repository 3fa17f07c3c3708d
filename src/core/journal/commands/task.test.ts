import { describe, expect, test } from "vitest";
import { createBook } from "../../../../test/journal-book.ts";

const error = (result: { readonly ok: boolean; readonly error?: unknown }) =>
  result.ok ? "accepted" : (result as { readonly error: { readonly code: string } }).error;

describe("tasks", () => {
  test("[JOURNAL-03] a task is created with every field, and with sensible emptiness for the rest", () => {
    const book = createBook();
    const home = book.must({ kind: "category.create", name: "Home" }).subjectId;
    const label = book.must({ kind: "label.create", name: "calls" }).subjectId;
    const { subjectId } = book.must({
      kind: "task.create",
      title: "Call Ana",
      categoryId: home,
      labelIds: [label, label],
      priority: 2,
      dueDate: "2026-11-16",
      dueTime: "09:00",
      estimateMinutes: 30,
      language: "en",
    });
    expect(book.one("task", subjectId).body).toEqual({
      title: "Call Ana",
      categoryId: home,
      labelIds: [label],
      priority: 2,
      dueDate: "2026-11-16",
      dueTime: "09:00",
      estimateMinutes: 30,
      language: "en",
      notes: "",
      status: "OPEN",
      sourceTaskId: null,
      repeat: null,
      concludedAt: null,
      archivedAt: null,
      order: "a",
    });
    expect(book.one("task", subjectId).vectorClock).toEqual({ "host-a": 3 });
  });

  test("[JOURNAL-03] fields are updated together, and nothing else changes", () => {
    const book = createBook();
    const { subjectId: id } = book.must({ kind: "task.create", title: "Draft", notes: "keep" });
    book.must({ kind: "task.update", id, set: { title: "Final", status: "IN_PROGRESS", priority: 1 } });
    expect(book.one("task", id).body).toMatchObject({
      title: "Final",
      status: "IN_PROGRESS",
      priority: 1,
      notes: "keep",
    });
    book.must({ kind: "task.update", id, set: { priority: null } });
    expect(book.one("task", id).body.priority).toBeNull();
  });

  test("names create what is missing and find what is there, whatever its case", () => {
    const book = createBook();
    const home = book.must({ kind: "category.create", name: "Home" }).subjectId;
    const { subjectId, writes } = book.must({
      kind: "task.create",
      title: "Call",
      categoryName: "hOME",
      labelNames: ["Phone", "phone", "new"],
      items: ["one", "two"],
    });
    expect(book.one("task", subjectId).body.categoryId).toBe(home);
    expect(book.live("label").map((label) => label.body.name)).toEqual(["Phone", "new"]);
    expect(book.live("checklistItem").map((item) => [item.body.title, item.body.checked])).toEqual([
      ["one", false],
      ["two", false],
    ]);
    expect(writes.map((write) => write.kind)).toEqual([
      "label",
      "label",
      "task",
      "checklist",
      "checklistItem",
      "checklistItem",
    ]);
  });

  test("[JOURNAL-08] a task references only labels that exist", () => {
    const book = createBook();
    const { subjectId: id } = book.must({ kind: "task.create", title: "x", labelNames: ["kept"] });
    const kept = book.live("label")[0]?.id ?? null;
    expect(error(book.run({ kind: "task.create", title: "y", labelIds: ["no-such"] }))).toMatchObject({
      code: "not_found",
      what: "label",
    });
    expect(error(book.run({ kind: "task.update", id, set: { labelIds: [kept, "no-such"] } }))).toMatchObject({
      code: "not_found",
    });
    expect(error(book.run({ kind: "task.update", id, set: { labelIds: [id] } }))).toMatchObject({
      code: "wrong_kind",
      expected: "label",
    });
    book.must({ kind: "label.delete", id: kept });
    const added = book.must({ kind: "label.create", name: "added" }).subjectId;
    book.must({ kind: "task.update", id, set: { labelIds: [kept, added] } });
    expect(book.one("task", id).body.labelIds).toEqual([added]);
  });

  test("refusals name the fact and write nothing", () => {
    const book = createBook();
    const { subjectId: id } = book.must({ kind: "task.create", title: "x" });
    const category = book.must({ kind: "category.create", name: "Old" }).subjectId;
    book.must({ kind: "category.archive", id: category });
    const before = new Map(book.records);
    const refusals: readonly (readonly [object, object])[] = [
      [{ kind: "task.create", title: "y", dueTime: "09:00" }, { code: "due_time_without_date" }],
      [
        { kind: "task.create", title: "y", repeat: { every: 1, unit: "day", weekdays: [], from: "due" } },
        { code: "repeat_without_date" },
      ],
      [
        { kind: "task.create", title: "y", categoryId: category },
        { code: "category_archived", id: category },
      ],
      [
        { kind: "task.create", title: "y", categoryName: "old" },
        { code: "category_archived", id: category },
      ],
      [
        { kind: "task.create", title: "y", categoryId: id },
        { code: "wrong_kind", id, expected: "category" },
      ],
      [
        { kind: "task.update", id: "gone", set: {} },
        { code: "not_found", what: "task", id: "gone" },
      ],
      [
        { kind: "task.reopen", id },
        { code: "task_not_concluded", id },
      ],
      [
        { kind: "task.create", title: "y", labelNames: Array.from({ length: 50 }, (_, n) => `l${n}`), labelIds: [id] },
        { code: "wrong_kind", id, expected: "label" },
      ],
    ];
    for (const [command, expected] of refusals) expect(error(book.run(command))).toEqual(expected);
    expect(book.records).toEqual(before);
  });

  test("a label too many is refused by the limit, never by a broken record", () => {
    const book = createBook();
    const labelIds = [book.must({ kind: "label.create", name: "x" }).subjectId];
    const labelNames = Array.from({ length: 50 }, (_, n) => `l${n}`);
    expect(error(book.run({ kind: "task.create", title: "y", labelIds, labelNames }))).toEqual({
      code: "limit_reached",
      limit: "labelsPerTask",
      max: 50,
    });
    const { subjectId } = book.must({ kind: "task.create", title: "y", labelNames });
    expect(book.one("task", subjectId).body.labelIds.length).toBe(50);
  });

  test("a task that is created with no items has no checklist", () => {
    const book = createBook();
    book.must({ kind: "task.create", title: "y", items: [] });
    expect(book.live("checklist")).toEqual([]);
  });

  test("taking the date away takes the time with it, but never silently the repetition", () => {
    const book = createBook();
    const repeat = { every: 1, unit: "month", weekdays: [], from: "due", anchorDay: 31 };
    const plain = book.must({ kind: "task.create", title: "a", dueDate: "2026-11-16", dueTime: "09:00" }).subjectId;
    book.must({ kind: "task.update", id: plain, set: { dueDate: null } });
    expect(book.one("task", plain).body).toMatchObject({ dueDate: null, dueTime: null });
    const again = book.must({ kind: "task.create", title: "b", dueDate: "2026-11-30", repeat }).subjectId;
    expect(error(book.run({ kind: "task.update", id: again, set: { dueDate: null } }))).toEqual({
      code: "repeat_without_date",
    });
    book.must({ kind: "task.update", id: again, set: { dueDate: "2026-11-20" } });
    expect(book.one("task", again).body.repeat).toEqual({ every: 1, unit: "month", weekdays: [], from: "due" });
  });

  test("an edit that leaves the date as it is keeps the time of day and the day the rhythm belongs to", () => {
    const book = createBook();
    const repeat = { every: 1, unit: "month", weekdays: [], from: "due", anchorDay: 31 };
    const id = book.must({
      kind: "task.create",
      title: "rent",
      dueDate: "2026-11-30",
      dueTime: "09:00",
      repeat,
    }).subjectId;
    for (const set of [{ title: "Rent" }, { dueDate: "2026-11-30", notes: "by transfer" }]) {
      book.must({ kind: "task.update", id, set });
      expect(book.one("task", id).body).toMatchObject({ dueTime: "09:00", repeat });
    }
  });

  test("an edit conflicts only where someone else wrote a third value into the same field", () => {
    const book = createBook();
    const { subjectId: id } = book.must({ kind: "task.create", title: "one", notes: "n" });
    book.must({ kind: "task.update", id, set: { title: "two" } });
    const stale = { kind: "task.update", id, set: { title: "three" }, was: { title: "one" } };
    expect(error(book.run(stale))).toEqual({
      code: "edit_conflict",
      id,
      field: "title",
      yours: "three",
      theirs: "two",
    });
    book.must({ kind: "task.update", id, set: { notes: "mine" }, was: { notes: "n", title: "one" } });
    book.must({ kind: "task.update", id, set: { title: "two" }, was: { title: "one" } });
    expect(book.one("task", id).body).toMatchObject({ title: "two", notes: "mine" });
  });

  test("a command that changes nothing writes nothing", () => {
    const book = createBook();
    const { subjectId: id } = book.must({ kind: "task.create", title: "one", labelNames: ["l"] });
    const labelIds = book.live("label").map((label) => label.id);
    expect(book.must({ kind: "task.update", id, set: { title: "one", labelIds } }).writes).toEqual([]);
    expect(book.must({ kind: "task.unarchive", id }).writes).toEqual([]);
    expect(book.must({ kind: "task.move", id, after: null }).writes).toEqual([]);
    book.must({ kind: "task.archive", id });
    expect(book.must({ kind: "task.archive", id }).writes).toEqual([]);
  });

  test("tasks move to any place, and being there already is no move", () => {
    const book = createBook();
    const ids = ["a", "b", "c", "d"].map((title) => book.must({ kind: "task.create", title }).subjectId);
    const titles = () =>
      book
        .live("task")
        .toSorted((one, other) => (one.body.order < other.body.order ? -1 : 1))
        .map((task) => task.body.title)
        .join("");
    book.must({ kind: "task.move", id: ids[3], after: ids[0] });
    expect(titles()).toBe("adbc");
    expect(book.must({ kind: "task.move", id: ids[3], after: ids[0] }).writes).toEqual([]);
    book.must({ kind: "task.move", id: ids[2], after: null });
    expect(titles()).toBe("cadb");
    book.must({ kind: "task.move", id: ids[2], after: ids[1] });
    expect(titles()).toBe("adbc");
    for (let round = 0; round < 200; round += 1) {
      book.must({ kind: "task.move", id: ids[1 + (round % 2)], after: ids[0] });
    }
    expect(titles()).toBe("acbd");
  });

  test("a deleted task takes its checklists, items and links along and leaves the time that was spent", () => {
    const book = createBook();
    const { subjectId: id } = book.must({ kind: "task.create", title: "t", items: ["i"] });
    const other = book.must({ kind: "task.create", title: "o", items: ["stays"] }).subjectId;
    book.must({ kind: "link.add", fromId: other, toId: id, relation: "blocks" });
    book.must({ kind: "timer.start", taskId: id, startedAt: "2026-11-15T09:00:00Z", description: "" });
    const { operationId } = book.must({ kind: "task.delete", id }, "2026-11-15T11:00:00.000Z");
    expect(book.live("task").map((task) => task.id)).toEqual([other]);
    expect(book.live("checklistItem").map((item) => item.body.title)).toEqual(["stays"]);
    expect(book.live("link")).toEqual([]);
    expect(book.live("timeEntry").map((entry) => entry.body)).toMatchObject([
      { taskId: id, endedAt: "2026-11-15T11:00:00.000Z" },
    ]);
    book.must({ kind: "undo", operationId });
    expect(book.live("checklistItem").length).toBe(2);
    expect(book.live("timeEntry")[0]?.body.endedAt).toBeNull();
  });
});
