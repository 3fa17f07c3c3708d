import { expect, test } from "vitest";
import { createBook } from "../../../../test/journal-book.ts";

const refusal = (result: { readonly ok: boolean }) => ("error" in result ? result.error : "accepted");
const NOW = "2026-11-15T12:00:00.000Z";
const add = {
  kind: "time.add",
  taskId: null,
  startedAt: "2026-11-15T09:00:00Z",
  endedAt: "2026-11-15T10:00:00Z",
  description: "",
  sourceEntryId: null,
};

test("[JOURNAL-05] a retrospective entry has all its fields, and its end is after its start", () => {
  const book = createBook();
  const { subjectId: taskId } = book.must({ kind: "task.create", title: "t" });
  const { subjectId } = book.must({ ...add, taskId, description: "review" }, NOW);
  expect(book.one("timeEntry", subjectId).body).toEqual({
    taskId,
    startedAt: "2026-11-15T09:00:00.000Z",
    endedAt: "2026-11-15T10:00:00.000Z",
    description: "review",
    sourceEntryId: null,
  });
  for (const endedAt of [add.startedAt, "2026-11-15T08:59:59Z", "2026-11-15T10:00:00+01:00"]) {
    expect(refusal(book.run({ ...add, endedAt }, NOW))).toEqual({ code: "end_not_after_start" });
  }
  expect(refusal(book.run({ kind: "time.update", id: subjectId, set: { endedAt: add.startedAt } }, NOW))).toEqual({
    code: "end_not_after_start",
  });
});

test("[JOURNAL-05] the end is empty while the timer runs, one at a time, and stopping sets it", () => {
  const book = createBook();
  const { subjectId: taskId } = book.must({ kind: "task.create", title: "t" });
  expect(refusal(book.run({ kind: "timer.stop", endedAt: NOW }, NOW))).toEqual({ code: "no_timer_running" });
  const start = { kind: "timer.start", taskId, startedAt: "2026-11-15T11:00:00Z", description: "d" };
  const { subjectId: entryId } = book.must(start, NOW);
  expect(book.one("timeEntry", entryId).body.endedAt).toBeNull();
  expect(refusal(book.run({ ...start, taskId: null }, NOW))).toEqual({ code: "timer_running", entryId, taskId });
  const early = { kind: "timer.stop", endedAt: "2026-11-15T11:00:00Z" };
  expect(refusal(book.run(early, NOW))).toEqual({ code: "end_not_after_start" });
  book.must({ kind: "timer.stop", endedAt: NOW }, NOW);
  expect(book.one("timeEntry", entryId).body.endedAt).toBe(NOW);
});

test("[JOURNAL-06] a time entry points only to a source entry that exists", () => {
  const book = createBook();
  const audio = { kind: "entry.create", form: "audio", occurredAt: NOW, text: "rowed" };
  const { subjectId: sourceEntryId } = book.must(audio);
  const workout = { ...audio, form: "observed", workoutType: "rowing", durationSeconds: 2400 };
  const { subjectId: observed } = book.must(workout);
  expect(book.one("entry", observed).body).toMatchObject({ form: "observed", workoutType: "rowing" });
  const { subjectId: id } = book.must({ ...add, sourceEntryId }, NOW);
  expect(book.one("timeEntry", id).body.sourceEntryId).toBe(sourceEntryId);
  expect(refusal(book.run({ ...add, sourceEntryId: "gone" }, NOW))).toEqual({
    code: "not_found",
    what: "entry",
    id: "gone",
  });
  expect(refusal(book.run({ ...add, sourceEntryId: id }, NOW))).toEqual({ code: "wrong_kind", id, expected: "entry" });
  expect(refusal(book.run({ kind: "time.update", id, set: { sourceEntryId: "gone" } }, NOW))).toMatchObject({
    code: "not_found",
  });
  book.must({ kind: "entry.delete", id: sourceEntryId });
  expect(refusal(book.run({ ...add, sourceEntryId }, NOW))).toMatchObject({ code: "not_found" });
  book.must({ kind: "time.update", id, set: { sourceEntryId, description: "still editable" } }, NOW);
});

test("an unknown task is refused, and the future too, give or take the clocks of two devices", () => {
  const book = createBook();
  expect(refusal(book.run({ ...add, taskId: "gone" }, NOW))).toMatchObject({ code: "not_found", what: "task" });
  expect(refusal(book.run({ ...add, endedAt: "2026-11-15T12:02:01Z" }, NOW))).toEqual({ code: "end_in_future" });
  book.must({ ...add, endedAt: "2026-11-15T12:02:00Z" }, NOW);
  const start = { kind: "timer.start", taskId: null, startedAt: "2026-11-15T12:05:00Z", description: "" };
  expect(refusal(book.run(start, NOW))).toEqual({ code: "start_in_future" });
  const barely = { ...start, startedAt: "2026-11-15T12:02:00.001Z" };
  expect(refusal(book.run(barely, NOW))).toEqual({ code: "start_in_future" });
  book.must({ ...start, startedAt: "2026-11-15T12:02:00Z" }, NOW);
});

test("annotating an entry leaves its times alone, even after the clock went back", () => {
  const book = createBook();
  const { subjectId: id } = book.must(add, NOW);
  const before = book.one("timeEntry", id).body;
  book.must({ kind: "time.update", id, set: { description: "words" } }, "2020-01-01T00:00:00.000Z");
  expect(book.one("timeEntry", id).body).toEqual({ ...before, description: "words" });
  book.must({ kind: "time.delete", id });
  expect(book.live("timeEntry")).toEqual([]);
});
