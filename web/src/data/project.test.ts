import { describe, expect, test } from "vitest";
import type { Instant, LocalDate } from "#base";
import type { DayView, JournalCommand, JournalQuery, OperationId, RecordId, TaskRow } from "#model";
import type { Waiting } from "./database.ts";
import { pendingTask, projectAnswer, type Projection } from "./project.ts";
import { standInOf } from "./stand-in.ts";

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

  test("a task that waits can be opened, with what was changed since; a refused one cannot", () => {
    const row = waiting(create({ items: ["one", "two"] }));
    const id = standInOf(row.operationId);
    const edited = waiting({ kind: "task.update", id, set: { title: "Call Ana now", priority: 2 } });
    const other = waiting({ kind: "task.update", id: "a" as RecordId, set: { title: "Other" } });
    const detail = pendingTask(id, [row, edited, other]);
    expect(detail?.task.body).toMatchObject({ title: "Call Ana now", priority: 2 });
    expect(detail?.itemsTotal).toBe(2);
    expect(titles(shownOn(query("open"), page, [row, edited]).rows)[0]).toBe("Call Ana now");
    expect(pendingTask("pending.unknown" as RecordId, [row])).toBeNull();
    expect(pendingTask(id, [{ ...row, refusal: { code: "disk_full", message: "" } }])).toBeNull();
  });

  test("a changed and a deleted time entry are shown as such in the journal", () => {
    const at = (time: string): Instant => `2026-11-15T${time}:00.000Z` as Instant;
    const [task] = made;
    if (task === undefined) throw new Error("the capture was not shown");
    const body = { taskId: null, startedAt: at("08:00"), endedAt: at("09:00"), description: "", sourceEntryId: null };
    const entry = (id: string) => ({ ...task.task, id: id as RecordId, kind: "timeEntry" as const, body });
    const timeline: JournalQuery = { kind: "timeline", from: at("00:00"), to: at("23:00") };
    const { rows } = shownOn(timeline, { rows: [entry("t1"), entry("t2")], nextCursor: null }, [
      waiting({ kind: "time.update", id: "t1" as RecordId, set: { endedAt: at("10:00") } }),
      waiting({ kind: "time.delete", id: "t2" as RecordId }),
    ]);
    expect(rows.map(({ id }) => id)).toEqual(["t1"]);
    expect(rows[0]?.body).toMatchObject({ startedAt: at("08:00"), endedAt: at("10:00") });
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
