import { err, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import type { BodyOf, CommandOf, JournalError, RecordId, RecordOf } from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import type { Draft } from "../draft.ts";
import { givenOf } from "../same-value.ts";

type TimeKinds = "timer.start" | "timer.stop" | "time.add" | "time.update" | "time.delete";

export const timeHandlers: HandlersOf<TimeKinds> = {
  "timer.start": {
    reads: ({ taskId }) => [idsRead(taskId), { kind: "running" }],
    decide: startTimer,
  },
  "timer.stop": {
    reads: () => [{ kind: "running" }],
    decide({ endedAt }, draft) {
      const entry = runningEntry(draft);
      if (entry === undefined) return err({ code: "no_timer_running" });
      const body = checkTime({ ...entry.body, endedAt }, draft.at);
      if (!body.ok) return body;
      draft.change(entry, { endedAt });
      return ok({ subjectId: entry.id });
    },
  },
  "time.add": {
    reads: ({ taskId, sourceEntryId }) => [idsRead(taskId, sourceEntryId)],
    decide(command, draft) {
      const { kind: _, ...fields } = command;
      const references = checkReferences(draft, fields);
      if (!references.ok) return references;
      const body = checkTime(fields, draft.at);
      return body.ok ? ok({ subjectId: draft.create("timeEntry", body.value) }) : body;
    },
  },
  "time.update": {
    reads: ({ id, set }) => [idsRead(id, set.taskId, set.sourceEntryId)],
    decide: updateTime,
  },
  "time.delete": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id }, draft) {
      const entry = draft.find("timeEntry", id);
      if (!entry.ok) return entry;
      draft.remove(entry.value);
      return ok({ subjectId: id });
    },
  },
};

/** Devices disagree about the time by seconds; a minute or two ahead is a clock, more is a mistake. */
const CLOCK_SKEW_MS = 120_000;

/** The one running entry among the facts. */
function runningEntry(draft: Draft): RecordOf<"timeEntry"> | undefined {
  return draft.list("timeEntry").find((entry) => entry.body.endedAt === null);
}

/** Ends the timer if it runs on this task. A clock that went backwards must not keep a task from being concluded. */
export function stopTimerOn(draft: Draft, taskId: RecordId): void {
  const entry = runningEntry(draft);
  if (entry === undefined || entry.body.taskId !== taskId) return;
  const end = instantFromMs(Math.max(msOfInstant(draft.at), msOfInstant(entry.body.startedAt) + 1));
  if (end.ok) draft.change(entry, { endedAt: end.value });
}

function startTimer({ taskId, startedAt, description }: CommandOf<"timer.start">, draft: Draft) {
  const references = checkReferences(draft, { taskId });
  if (!references.ok) return references;
  const running = runningEntry(draft);
  if (running !== undefined) {
    return err({ code: "timer_running", entryId: running.id, taskId: running.body.taskId });
  }
  const body = checkTime({ taskId, startedAt, endedAt: null, description, sourceEntryId: null }, draft.at);
  return body.ok ? ok({ subjectId: draft.create("timeEntry", body.value) }) : body;
}

function updateTime({ id, set }: CommandOf<"time.update">, draft: Draft) {
  const entry = draft.find("timeEntry", id);
  if (!entry.ok) return entry;
  const given = givenOf(set);
  // What the entry already names may be gone by now; only a new reference is checked.
  const references = checkReferences(draft, {
    taskId: given.taskId === entry.value.body.taskId ? null : given.taskId,
    sourceEntryId: given.sourceEntryId === entry.value.body.sourceEntryId ? null : given.sourceEntryId,
  });
  if (!references.ok) return references;
  // Words can be changed whatever the clock says meanwhile; only times that are set are judged.
  const isTimed = given.startedAt !== undefined || given.endedAt !== undefined;
  const body = isTimed ? checkTime({ ...entry.value.body, ...given }, draft.at) : ok(given);
  if (!body.ok) return body;
  draft.change(entry.value, body.value);
  return ok({ subjectId: id });
}

type References = {
  readonly taskId?: RecordId | null | undefined;
  readonly sourceEntryId?: RecordId | null | undefined;
};

/** A time entry names only tasks and source entries that exist. [JOURNAL-06] */
function checkReferences(draft: Draft, { taskId, sourceEntryId }: References): Result<void, JournalError> {
  const task = taskId === null || taskId === undefined ? ok() : draft.find("task", taskId);
  if (!task.ok) return task;
  const source = sourceEntryId === null || sourceEntryId === undefined ? ok() : draft.find("entry", sourceEntryId);
  return source.ok ? ok() : source;
}

function checkTime(body: BodyOf<"timeEntry">, at: Instant): Result<BodyOf<"timeEntry">, JournalError> {
  const { startedAt, endedAt } = body;
  const latestMs = msOfInstant(at) + CLOCK_SKEW_MS;
  if (endedAt !== null && endedAt <= startedAt) return err({ code: "end_not_after_start" });
  if (endedAt !== null && msOfInstant(endedAt) > latestMs) return err({ code: "end_in_future" });
  return msOfInstant(startedAt) > latestMs ? err({ code: "start_in_future" }) : ok(body);
}
