import { expect, test } from "vitest";
import type { JournalRecord, RecordId } from "#model";
import { createBook } from "../../../test/journal-book.ts";
import { byOrder, gapAfter, orderInGap, ordersBetween, readsPastTie } from "./order.ts";

test("a task redone beside one that took its place keeps a place of its own, and others can still be moved", () => {
  const book = createBook();
  const first = book.must({ kind: "task.create", title: "a" });
  const undone = book.must({ kind: "undo", operationId: first.operationId });
  const second = book.must({ kind: "task.create", title: "b" });
  const third = book.must({ kind: "task.create", title: "c" });
  const fourth = book.must({ kind: "task.create", title: "d" });
  book.must({ kind: "undo", operationId: undone.operationId });
  const keyOf = (id: RecordId | null) => book.one("task", id).body.order;
  expect(keyOf(first.subjectId)).toBe(keyOf(second.subjectId));
  book.must({ kind: "task.move", id: fourth.subjectId, after: first.subjectId });
  expect(keyOf(fourth.subjectId) > keyOf(second.subjectId)).toBe(true);
  expect(keyOf(fourth.subjectId) < keyOf(third.subjectId)).toBe(true);
});

test("records with the same key are in the order of their ids, and each is level with itself", () => {
  const [x, y, late] = [
    ["x", "a"],
    ["y", "a"],
    ["a", "b"],
  ].map(([id = "", order = ""]) => ({ id, body: { order } }));
  if (x === undefined || y === undefined || late === undefined) throw new Error("three records");
  expect([byOrder(x, y), byOrder(y, x), byOrder(x, x)]).toEqual([-1, 1, 0]);
  expect([late, y, x].toSorted(byOrder)).toEqual([x, y, late]);
  expect([late, x, y].toSorted(byOrder)).toEqual([x, y, late]);
});

test("where the neighbour behind has the same key, the one behind that is asked for", () => {
  const task = (id: string, order: string) =>
    [id, { id, kind: "task", body: { order }, deletedAt: null }] as never as readonly [RecordId, JournalRecord];
  const facts = { records: new Map([task("x", "a"), task("y", "a"), task("z", "b")]), operations: new Map() };
  const reads = (after: string) => readsPastTie({ of: "task", after: after as RecordId }, facts);
  expect(reads("x")).toEqual([{ kind: "place", of: "task", at: { after: "y" } }]);
  expect(reads("y")).toEqual([]);
  expect(readsPastTie({ of: "task", after: null }, facts)).toEqual([]);
});

test("a task at a place without room can still be concluded, repeated and followed up", () => {
  const book = createBook();
  const repeat = { every: 1, unit: "day", weekdays: [], from: "due" };
  const { subjectId: id } = book.must({ kind: "task.create", title: "a", dueDate: "2026-11-15", repeat });
  book.must({ kind: "task.create", title: "b" });
  for (const [index, task] of book.live("task").entries()) {
    const order = `${"a".padEnd(255, "1")}${index + 1}`;
    book.records.set(task.id, { ...task, body: { ...task.body, order } });
  }
  expect(book.run({ kind: "task.create", title: "c" }).ok).toBe(true);
  expect(book.must({ kind: "task.conclude", id, as: "DONE" }).writes.length).toBe(2);
});

test("a place that was halved too often is refused by the limit, never by a broken key", () => {
  const at = (order: string) => ({ id: order, body: { order } });
  const gap = (chars: number) => ({ before: at("a".padEnd(chars, "1")), after: at("a".padEnd(chars - 1, "1") + "2") });
  const refused = { ok: false, error: { code: "limit_reached", limit: "orderKeyChars", max: 256 } };
  expect(ordersBetween(1, gap(256))).toEqual(refused);
  expect(orderInGap(gap(256))).toEqual(refused);
  const longest = `${"a".padEnd(255, "1")}V`;
  expect(ordersBetween(1, gap(255))).toEqual({ ok: true, value: [longest] });
  expect(orderInGap(gap(255))).toEqual({ ok: true, value: longest });
  expect(gapAfter(undefined, [at("b"), at("a")]).after?.id).toBe("a");
});
