import { expect, test } from "vitest";
import { createBook } from "../../../../test/journal-book.ts";

const refusal = (result: { readonly ok: boolean }) => ("error" in result ? result.error : "accepted");
const DAY = "2026-11-16";
const block = {
  id: null,
  categoryId: null,
  taskId: null,
  startTime: "2026-11-16T09:00:00Z",
  endTime: "2026-11-16T10:00:00Z",
  note: "",
};
const blocks = { kind: "plan.blocks", planDate: DAY, upserts: [] as object[], deletes: [] as unknown[] };

test("[JOURNAL-07] a date has one plan, whoever asks for it first", () => {
  const book = createBook();
  const { subjectId: task } = book.must({ kind: "task.create", title: "t" });
  book.must({ kind: "plan.pin", planDate: DAY, taskIds: [task] });
  book.must({ kind: "plan.note", planDate: DAY, note: "calm" });
  book.must({ ...blocks, upserts: [block] });
  expect(book.live("dayPlan").map((plan) => [plan.id, plan.body])).toEqual([
    ["plan-2026-11-16", { planDate: DAY, pinnedTaskIds: [task], note: "calm" }],
  ]);
  expect(book.live("planBlock").map(({ body }) => body)).toEqual([
    {
      planId: "plan-2026-11-16",
      categoryId: null,
      taskId: null,
      startTime: "2026-11-16T09:00:00.000Z",
      endTime: "2026-11-16T10:00:00.000Z",
      note: "",
    },
  ]);
});

test("[JOURNAL-07] blocks are inserted, replaced and deleted by id in one step; others stay untouched", () => {
  const book = createBook();
  const category = book.must({ kind: "category.create", name: "Work" }).subjectId;
  book.must({ ...blocks, upserts: [block, { ...block, id: "mine", note: "named" }] });
  const [made] = book.live("planBlock");
  const untouched = book.one("planBlock", "mine" as never);
  book.must({ ...blocks, upserts: [{ ...block, id: made?.id, categoryId: category, note: "moved" }] });
  expect(book.one("planBlock", made?.id ?? null).body).toMatchObject({ categoryId: category, note: "moved" });
  expect(book.one("planBlock", "mine" as never)).toEqual(untouched);
  book.must({ ...blocks, deletes: [made?.id] });
  expect(book.live("planBlock").map(({ id }) => id)).toEqual(["mine"]);
  book.must({ ...blocks, upserts: [{ ...block, id: made?.id, note: "back" }] });
  expect(book.live("planBlock").length).toBe(2);
});

test("[JOURNAL-07] a block that ends before it starts, or belongs to another day, refuses the whole step", () => {
  const book = createBook();
  book.must({ ...blocks, planDate: "2026-11-17", upserts: [{ ...block, id: "other-day" }] });
  const before = new Map(book.records);
  const backwards = { ...block, endTime: block.startTime };
  expect(refusal(book.run({ ...blocks, upserts: [block, backwards] }))).toEqual({ code: "end_not_after_start" });
  expect(refusal(book.run({ ...blocks, upserts: [block, { ...block, id: "other-day" }] }))).toMatchObject({
    code: "not_found",
  });
  expect(refusal(book.run({ ...blocks, deletes: ["other-day"] }))).toMatchObject({ code: "not_found" });
  expect(refusal(book.run({ ...blocks, upserts: [{ ...block, id: "plan-2026-11-17" }] }))).toMatchObject({
    code: "wrong_kind",
  });
  expect(refusal(book.run({ ...blocks, upserts: [{ ...block, taskId: "gone" }] }))).toMatchObject({ what: "task" });
  expect(book.records).toEqual(before);
});

test("tasks are pinned without duplicates, sorted as a whole, and unpinned", () => {
  const book = createBook();
  const [a, b, c] = ["a", "b", "c"].map((title) => book.must({ kind: "task.create", title }).subjectId);
  book.must({ kind: "plan.pin", planDate: DAY, taskIds: [a, b, a] });
  expect(book.must({ kind: "plan.pin", planDate: DAY, taskIds: [b] }).writes).toEqual([]);
  expect(refusal(book.run({ kind: "plan.pin", planDate: DAY, taskIds: [c, "gone"] }))).toMatchObject({
    code: "not_found",
  });
  book.must({ kind: "plan.pin", planDate: DAY, taskIds: [c] });
  for (const taskIds of [
    [a, b],
    [a, b, b],
    [a, b, "gone"],
  ]) {
    expect(refusal(book.run({ kind: "plan.reorder", planDate: DAY, taskIds }))).toEqual({ code: "order_mismatch" });
  }
  book.must({ kind: "plan.reorder", planDate: DAY, taskIds: [c, a, b] });
  expect(book.live("dayPlan")[0]?.body.pinnedTaskIds).toEqual([c, a, b]);
  book.must({ kind: "task.delete", id: a });
  book.must({ kind: "plan.reorder", planDate: DAY, taskIds: [b, c] });
  book.must({ kind: "plan.unpin", planDate: DAY, taskIds: [b, "gone"] });
  expect(book.live("dayPlan")[0]?.body.pinnedTaskIds).toEqual([c]);
});

test("asking for nothing makes no plan, and limits of a day hold", () => {
  const book = createBook();
  expect(book.must({ kind: "plan.note", planDate: DAY, note: "" }).writes).toEqual([]);
  expect(book.must(blocks).writes).toEqual([]);
  expect(book.must({ kind: "plan.unpin", planDate: DAY, taskIds: ["x"] }).writes).toEqual([]);
  book.must({ ...blocks, upserts: Array.from({ length: 288 }, () => block) });
  expect(refusal(book.run({ ...blocks, upserts: [block] }))).toMatchObject({ code: "limit_reached", max: 288 });
  const first = book.live("planBlock")[0]?.id;
  book.must({ ...blocks, upserts: [block], deletes: [first] });
  const tasks = Array.from({ length: 101 }, () => book.must({ kind: "task.create", title: "t" }).subjectId);
  expect(refusal(book.run({ kind: "plan.pin", planDate: DAY, taskIds: tasks }))).toMatchObject({
    code: "limit_reached",
    limit: "pinsPerDay",
  });
  book.must({ kind: "plan.pin", planDate: DAY, taskIds: tasks.slice(1) });
  expect(book.live("dayPlan")[0]?.body.pinnedTaskIds.length).toBe(100);
});
