import { expect, test } from "vitest";
import { createBook, type JournalBook } from "../../../../test/journal-book.ts";

const refusal = (result: { readonly ok: boolean }) => ("error" in result ? result.error : "accepted");

function twoLists() {
  const book = createBook();
  const { subjectId: taskId } = book.must({ kind: "task.create", title: "t" });
  const from = book.must({ kind: "checklist.create", taskId, title: "From", items: ["a", "b", "c"] }).subjectId;
  const to = book.must({ kind: "checklist.create", taskId, title: "To", items: ["x", "y"] }).subjectId;
  const idOf = (title: string) => book.live("checklistItem").find((item) => item.body.title === title)?.id;
  return { book, taskId, from, to, idOf };
}

const titlesIn = (book: JournalBook, checklistId: unknown): string =>
  book
    .live("checklistItem")
    .filter((item) => item.body.checklistId === checklistId)
    .toSorted((one, other) => (one.body.order < other.body.order ? -1 : 1))
    .map((item) => item.body.title)
    .join("");

test("[JOURNAL-04] a checklist belongs to one task, and its items have title, checked state and order", () => {
  const { book, taskId, from } = twoLists();
  expect(book.one("checklist", from).body).toEqual({ taskId, title: "From", order: "a" });
  const first = book.live("checklistItem")[0];
  expect(first?.body).toEqual({ checklistId: from, title: "a", checked: false, order: "a" });
  expect(refusal(book.run({ kind: "checklist.create", taskId: from, title: "", items: [] }))).toEqual({
    code: "wrong_kind",
    id: from,
    expected: "task",
  });
});

test("[JOURNAL-04] a move keeps the ids and order of items, and places them where they are asked to be", () => {
  const { book, from, to, idOf } = twoLists();
  const itemIds = [idOf("c"), idOf("a"), idOf("c")];
  const move = { kind: "item.move", itemIds, fromChecklistId: from, toChecklistId: to, preserveCheckedState: true };
  book.must({ ...move, after: idOf("x") });
  expect([titlesIn(book, from), titlesIn(book, to)]).toEqual(["b", "xacy"]);
  expect([idOf("a"), idOf("c")]).toEqual([itemIds[1], itemIds[0]]);
  book.must({ ...move, itemIds: [idOf("b")], after: null });
  expect([titlesIn(book, from), titlesIn(book, to)]).toEqual(["", "bxacy"]);
  book.must({ ...move, itemIds: [idOf("x")], fromChecklistId: to });
  expect(titlesIn(book, to)).toBe("bacyx");
});

test("the checked state is kept or cleared as asked", () => {
  const { book, from, to, idOf } = twoLists();
  const items = [idOf("a"), idOf("b")].map((id) => ({ id, checked: true }));
  book.must({ kind: "item.update", items });
  const move = { kind: "item.move", fromChecklistId: from, toChecklistId: to };
  book.must({ ...move, itemIds: [idOf("a")], preserveCheckedState: true });
  book.must({ ...move, itemIds: [idOf("b")], preserveCheckedState: false });
  const checked = book.live("checklistItem").filter((item) => item.body.checked);
  expect(checked.map((item) => item.body.title)).toEqual(["a"]);
});

test("a move of several is all or none", () => {
  const { book, from, to, idOf } = twoLists();
  const before = new Map(book.records);
  const move = { kind: "item.move", fromChecklistId: from, toChecklistId: to, preserveCheckedState: true };
  expect(refusal(book.run({ ...move, itemIds: [idOf("a"), idOf("x")] }))).toEqual({
    code: "item_not_in_checklist",
    id: idOf("x"),
    checklistId: from,
  });
  expect(refusal(book.run({ ...move, itemIds: [idOf("a"), "gone"] }))).toMatchObject({ code: "not_found", id: "gone" });
  expect(refusal(book.run({ ...move, itemIds: [idOf("a")], after: idOf("b") }))).toMatchObject({
    code: "item_not_in_checklist",
    checklistId: to,
  });
  expect(refusal(book.run({ ...move, itemIds: [idOf("a")], toChecklistId: "gone" }))).toMatchObject({
    code: "not_found",
    what: "checklist",
  });
  expect(book.records).toEqual(before);
});

test("items are added in the given order behind the others, and several are changed or deleted all or none", () => {
  const { book, from, idOf } = twoLists();
  book.must({ kind: "item.add", checklistId: from, titles: ["d", "e"] });
  expect(titlesIn(book, from)).toBe("abcde");
  const items = [
    { id: idOf("a"), title: "A" },
    { id: "gone", checked: true },
  ];
  expect(refusal(book.run({ kind: "item.update", items }))).toMatchObject({ code: "not_found", id: "gone" });
  expect(refusal(book.run({ kind: "item.delete", itemIds: [idOf("a"), "gone"] }))).toMatchObject({ code: "not_found" });
  expect(titlesIn(book, from)).toBe("abcde");
  book.must({ kind: "item.delete", itemIds: [idOf("a"), idOf("c")] });
  expect(titlesIn(book, from)).toBe("bde");
});

test("a deleted checklist takes its items along", () => {
  const { book, from } = twoLists();
  book.must({ kind: "checklist.update", id: from, title: "" });
  book.must({ kind: "checklist.delete", id: from });
  expect(book.live("checklistItem").map((item) => item.body.title)).toEqual(["x", "y"]);
});
