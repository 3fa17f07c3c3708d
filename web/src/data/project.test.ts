import { describe, expect, test } from "vitest";
import type { Instant, LocalDate } from "#base";
import type { DayView, JournalCommand, JournalQuery, OperationId, RecordId, TaskRow } from "#model";
import type { Waiting } from "./database.ts";
import { projectAnswer, type Projection } from "./project.ts";

const shownOn = <Q extends JournalQuery>(
  query: Q,
  answer: Projection<Q>["answer"],
  pending: readonly Waiting[],
): Projection<Q>["answer"] => projectAnswer({ query, answer, pending });

const today = "2026-11-15" as LocalDate;
let sequence = 0;
function waiting(command: JournalCommand, rest: Partial<Waiting> = {}): Waiting {
  sequence += 1;
  const operationId = `op-${sequence}` as OperationId;
  return { sequence, operationId, command, atMs: Date.UTC(2026, 10, 15, 9), refusal: null, ...rest };
}

const query = (view: "open" | "today" | "upcoming" | "inbox" | "done"): Extract<JournalQuery, { kind: "tasks" }> => ({
  kind: "tasks",
  view,
  today,
});
const empty = { rows: [], nextCursor: null };
const create = (rest: object = {}): JournalCommand => ({ kind: "task.create", title: "Call Ana", ...rest });
const titles = (rows: readonly TaskRow[]): readonly string[] => rows.map((row) => row.task.body.title);

const made = shownOn(query("open"), empty, [waiting(create())]).rows;
const stored = (id: string, title: string): TaskRow => {
  const [row] = made;
  if (row === undefined) throw new Error("the capture was not shown");
  return { ...row, task: { ...row.task, id: id as RecordId, body: { ...row.task.body, title } } };
};
const page = { rows: [stored("a", "A"), stored("b", "B"), stored("c", "C")], nextCursor: null };

describe("writes that wait", () => {
  test("a capture is in sight in the views it belongs to, and only there", () => {
    const shown = (view: Parameters<typeof query>[0], command: JournalCommand): number =>
      shownOn(query(view), empty, [waiting(command)]).rows.length;
    expect([shown("open", create()), shown("inbox", create()), shown("today", create())]).toEqual([1, 1, 0]);
    expect([shown("today", create({ dueDate: today })), shown("upcoming", create({ dueDate: today }))]).toEqual([1, 0]);
    expect([shown("upcoming", create({ dueDate: "2026-11-16" })), shown("done", create())]).toEqual([1, 0]);
  });

  test("a capture that was answered is not shown beside the record it made", () => {
    const answered = waiting(create(), { madeIds: ["a" as RecordId] });
    expect(titles(shownOn(query("open"), page, [answered]).rows)).toEqual(["A", "B", "C"]);
  });

  test("a refused write changes nothing that is shown", () => {
    const refused = waiting(create(), { refusal: { code: "disk_full", message: "" } });
    expect(shownOn(query("open"), page, [refused])).toBe(page);
  });

  test("edits, moves, conclusions and deletions are shown in the order they were given", () => {
    const id = (text: string): RecordId => text as RecordId;
    const rows = shownOn(query("open"), page, [
      waiting({ kind: "task.update", id: id("a"), set: { title: "A2", priority: 1 } }),
      waiting({ kind: "task.move", id: id("a"), after: id("b") }),
      waiting({ kind: "task.conclude", id: id("b"), as: "DONE" }),
      waiting({ kind: "task.delete", id: id("c") }),
    ]).rows;
    expect(titles(rows)).toEqual(["B", "A2"]);
    expect(rows[0]?.task.body.concludedAt).not.toBeNull();
    expect(rows[1]?.task.body.priority).toBe(1);
  });

  test("a timer, a rating and a block are shown before the server has seen them", () => {
    const startedAt = "2026-11-15T08:00:00.000Z" as Instant;
    const endTime = "2026-11-15T09:00:00.000Z" as Instant;
    const start = waiting({ kind: "timer.start", taskId: "a" as RecordId, startedAt, description: "" });
    expect(shownOn({ kind: "timer" }, null, [start])?.entry.body.startedAt).toBe(startedAt);
    expect(shownOn({ kind: "timer" }, null, [start, waiting({ kind: "timer.stop", endedAt: endTime })])).toBeNull();
    const day: DayView = { date: today, plan: null, blocks: [], pinned: [], rating: null };
    const block = { id: null, categoryId: null, taskId: null, startTime: startedAt, endTime, note: "Work" };
    const shown = shownOn({ kind: "day", date: today }, day, [
      waiting({ kind: "plan.blocks", planDate: today, upserts: [block], deletes: [] }),
      waiting({ kind: "rating.set", targetType: "day", targetId: "2026-11-15" as RecordId, value: 4, note: "" }),
      waiting({ kind: "plan.note", planDate: today, note: "Numbers first" }),
    ]);
    expect(shown.blocks[0]?.body.note).toBe("Work");
    expect(shown.rating?.body.value).toBe(4);
    expect(shown.plan?.body.note).toBe("Numbers first");
  });
});
