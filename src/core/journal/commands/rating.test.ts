import { expect, test } from "vitest";
import { createBook } from "../../../../test/journal-book.ts";

const refusal = (result: { readonly ok: boolean }) => ("error" in result ? result.error : "accepted");
const set = { kind: "rating.set", targetType: "day", targetId: "2026-11-15", value: 4, note: "good" };

test("[JOURNAL-08] a target has at most one rating: rating again changes it, clearing removes it", () => {
  const book = createBook();
  book.must(set);
  book.must({ ...set, value: 2, note: "" });
  const target = { targetType: "day", targetId: "2026-11-15" };
  expect(book.live("rating").map(({ id, body }) => [id, body])).toEqual([
    ["rating-day-2026-11-15", { ...target, value: 2, note: "" }],
  ]);
  book.must({ kind: "rating.clear", ...target });
  expect(book.live("rating")).toEqual([]);
  expect(book.must({ kind: "rating.clear", ...target }).writes).toEqual([]);
  book.must(set);
  expect([book.live("rating").length, book.records.size]).toEqual([1, 1]);
});

test("[JOURNAL-08] days, tasks and time entries can be rated, if they exist", () => {
  const book = createBook();
  const { subjectId: task } = book.must({ kind: "task.create", title: "t" });
  book.must({ ...set, targetType: "task", targetId: task });
  book.must(set);
  expect(book.live("rating").length).toBe(2);
  expect(refusal(book.run({ ...set, targetType: "task", targetId: "gone" }))).toMatchObject({ code: "not_found" });
  expect(refusal(book.run({ ...set, targetType: "timeEntry", targetId: task }))).toMatchObject({ code: "wrong_kind" });
  expect(refusal(book.run({ ...set, targetId: "2026-02-30" }))).toMatchObject({ code: "wrong_kind" });
});

test("a target whose rating would have too long an id is refused by the limit", () => {
  const book = createBook();
  const rate = (length: number) => {
    const targetId = "x".repeat(length - "rating-task-".length);
    return refusal(book.run({ ...set, targetType: "task", targetId }));
  };
  expect(rate(128)).toMatchObject({ code: "not_found" });
  expect(rate(129)).toEqual({ code: "limit_reached", limit: "idChars", max: 128 });
});

test("links join two records that exist, once per relation", () => {
  const book = createBook();
  const [a, b] = ["a", "b"].map((title) => book.must({ kind: "task.create", title }).subjectId);
  const add = { kind: "link.add", fromId: a, toId: b, relation: "blocks" };
  const { subjectId: id } = book.must(add);
  expect(book.must(add)).toMatchObject({ subjectId: id, writes: [] });
  book.must({ ...add, relation: "follows" });
  book.must({ ...add, fromId: b, toId: a });
  expect(book.live("link").length).toBe(3);
  expect(refusal(book.run({ ...add, toId: a }))).toEqual({ code: "link_to_itself" });
  expect(refusal(book.run({ ...add, toId: "gone" }))).toMatchObject({ code: "not_found", id: "gone" });
  book.must({ kind: "link.remove", id });
  expect(refusal(book.run({ kind: "link.remove", id }))).toMatchObject({ code: "not_found", what: "link" });
});

test("notes are changed field by field, and a stale edit of the same field is a conflict", () => {
  const book = createBook();
  const entry = { kind: "entry.create", form: "text", occurredAt: "2026-11-15T09:00:00Z", text: "one" };
  const { subjectId: id } = book.must(entry);
  book.must({ kind: "entry.update", id, set: { text: "two" }, was: { text: "one" } });
  expect(refusal(book.run({ kind: "entry.update", id, set: { text: "three" }, was: { text: "one" } }))).toEqual({
    code: "edit_conflict",
    id,
    field: "text",
    yours: "three",
    theirs: "two",
  });
  expect(refusal(book.run({ kind: "entry.update", id, set: { taskId: "gone" } }))).toMatchObject({ what: "task" });
  expect(refusal(book.run({ ...entry, categoryId: "gone" }))).toMatchObject({ what: "category" });
  expect(book.one("entry", id).body).toMatchObject({ form: "text", text: "two", categoryId: null, taskId: null });
});
