import { LIMITS, ok, type Result } from "#base";
import {
  dayPlanId,
  ratingId,
  type AnswerOf,
  type ChangeRow,
  type InvalidInput,
  type JournalQuery,
  type OperationRow,
  type RecordId,
  type TimelineRow,
} from "#model";
import type { Sqlite } from "../sqlite.ts";
import { cursorOf, keysOfCursor } from "./cursor.ts";
import { answerFind } from "./find.ts";
import { titleOf } from "./record-words.ts";
import { loadLive, loadRecord, selectRecords } from "./rows.ts";
import { answerSearch } from "./search.ts";
import { answerTask } from "./task-detail.ts";
import { answerCounts, answerTasks } from "./task-lists.ts";
import { withProgress } from "./task-rows.ts";

type QueryOf<K extends JournalQuery["kind"]> = Extract<JournalQuery, { kind: K }>;
type Answering = {
  readonly [K in JournalQuery["kind"]]: (db: Sqlite, query: QueryOf<K>) => Result<AnswerOf<QueryOf<K>>, InvalidInput>;
};

const ANSWERING: Answering = {
  tasks: answerTasks,
  task: (db, { id }) => ok(answerTask(db, id)),
  categories: (db) =>
    ok(
      selectRecords<"category">(db, {
        where: "kind IN ('category', 'label') AND kind = 'category' AND deleted_at IS NULL ORDER BY sort_order, id",
      }),
    ),
  labels: (db) => {
    const labels = selectRecords<"label">(db, {
      where: "kind IN ('category', 'label') AND kind = 'label' AND deleted_at IS NULL",
    });
    return ok(labels.toSorted((a, b) => (a.body.name + a.id < b.body.name + b.id ? -1 : 1)));
  },
  timer: (db) => ok(answerTimer(db)),
  timeline: answerTimeline,
  time: (db, query) => ok(answerTime(db, query)),
  day: (db, query) => ok(answerDay(db, query)),
  ratings: (db, query) => ok(answerRatings(db, query)),
  search: (db, query) => ok(answerSearch(db, query)),
  find: (db, query) => ok(answerFind(db, query)),
  operations: (db, { limit = LIMITS.pageRows }) =>
    ok(
      db
        .all<OperationDbRow>(`${OPERATION_ROWS} ORDER BY seq DESC LIMIT :limit`, { limit })
        .map((row) => operationRow(db, row)),
    ),
  operation: (db, { id }) => {
    const row = db.get<OperationDbRow>(`${OPERATION_ROWS} WHERE operation_id = :id`, { id });
    return ok(row === null ? null : operationRow(db, row));
  },
  changes: (db, query) => ok(answerChanges(db, query)),
  counts: (db, query) => ok(answerCounts(db, query)),
};

export function answerQuery<Q extends JournalQuery>(db: Sqlite, query: Q): Result<AnswerOf<Q>, InvalidInput> {
  const answering = ANSWERING[query.kind] as (db: Sqlite, query: JournalQuery) => Result<AnswerOf<Q>, InvalidInput>;
  return answering(db, query);
}

function answerTimer(db: Sqlite): AnswerOf<QueryOf<"timer">> {
  const [entry] = selectRecords<"timeEntry">(db, {
    where: "kind = 'timeEntry' AND deleted_at IS NULL AND ended_rank = '~' ORDER BY started_at DESC, id DESC LIMIT 1",
  });
  return entry === undefined ? null : { entry, task: loadLive(db, { kind: "task", id: entry.body.taskId }) };
}

function answerTimeline(db: Sqlite, query: QueryOf<"timeline">): Result<AnswerOf<QueryOf<"timeline">>, InvalidInput> {
  const after = keysOfCursor({ list: "timeline", cursor: query.cursor, sample: ["", ""] });
  if (!after.ok) return after;
  const limit = query.limit ?? LIMITS.pageRows;
  // Without a cursor the page starts before everything at `to`: no id sorts before the empty one.
  const [beforeAt, beforeId] = after.value ?? [query.to, ""];
  const rows = selectRecords<TimelineRow["kind"]>(db, {
    where: `timeline_at IS NOT NULL AND deleted_at IS NULL AND timeline_at >= :from AND timeline_at < :to
       AND (timeline_at, id) < (:before_at, :before_id)
     ORDER BY timeline_at DESC, id DESC LIMIT :limit`,
    params: { from: query.from, to: query.to, before_at: beforeAt ?? "", before_id: beforeId ?? "", limit: limit + 1 },
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? cursorOf("timeline", timelineKeys(last)) : null;
  return ok({ rows: shown, nextCursor });
}

function timelineKeys(row: TimelineRow): readonly [string, string] {
  if (row.kind === "entry") return [row.body.occurredAt, row.id];
  if (row.kind === "timeEntry") return [row.body.startedAt, row.id];
  return [row.body.concludedAt ?? "", row.id];
}

/** Entries that touch the span, also those that began before it or still run: a night shift belongs to both days. */
function answerTime(db: Sqlite, query: QueryOf<"time">): AnswerOf<QueryOf<"time">> {
  return selectRecords<"timeEntry">(db, {
    where: `kind = 'timeEntry' AND deleted_at IS NULL AND ended_rank > :from AND started_at < :to
       AND (:task IS NULL OR parent_id = :task)
     ORDER BY started_at, id`,
    params: { from: query.from, to: query.to, task: query.taskId ?? null },
  });
}

function answerDay(db: Sqlite, { date }: QueryOf<"day">): AnswerOf<QueryOf<"day">> {
  const plan = loadLive(db, { kind: "dayPlan", id: dayPlanId(date) });
  const pinned = (plan?.body.pinnedTaskIds ?? []).map((id) => loadLive(db, { kind: "task", id }));
  return {
    date,
    plan,
    blocks: selectRecords<"planBlock">(db, {
      where: `parent_id = :id AND kind = 'planBlock' AND parent_id IS NOT NULL AND deleted_at IS NULL
       ORDER BY json_extract(body, '$.startTime'), id`,
      params: { id: dayPlanId(date) },
    }),
    pinned: withProgress(
      db,
      pinned.filter((task) => task !== null),
    ),
    rating: loadLive(db, { kind: "rating", id: ratingId("day", date) }),
  };
}

/** Ratings of days by the day they are about; others by the UTC day they were last set. */
function answerRatings(db: Sqlite, { targetType, from, to }: QueryOf<"ratings">): AnswerOf<QueryOf<"ratings">> {
  const day = targetType === "day" ? "target_id" : "substr(updated_at, 1, 10)";
  return selectRecords<"rating">(db, {
    where: `kind = 'rating' AND deleted_at IS NULL AND target_type = :type AND ${day} BETWEEN :from AND :to
     ORDER BY ${day}, id`,
    params: { type: targetType, from, to },
  });
}

const OPERATION_ROWS =
  "SELECT operation_id, at, json_extract(command, '$.kind') AS command_kind, subject_id, undone_by FROM operations";
type OperationDbRow = {
  readonly operation_id: string;
  readonly at: string;
  readonly command_kind: string;
  readonly subject_id: string | null;
  readonly undone_by: string | null;
};

function operationRow(db: Sqlite, row: OperationDbRow): OperationRow {
  const subject = row.subject_id === null ? null : loadRecord(db, row.subject_id as RecordId);
  return {
    operationId: row.operation_id,
    at: row.at,
    commandKind: row.command_kind,
    subjectId: row.subject_id,
    title: subject === null ? "" : titleOf(subject),
    undoneBy: row.undone_by,
  } as OperationRow;
}

function answerChanges(db: Sqlite, { after, limit }: QueryOf<"changes">): AnswerOf<QueryOf<"changes">> {
  return db
    .all<ChangeRow>(
      `SELECT host_id AS hostId, counter, payload_type AS payloadType, payload_id AS payloadId, kind, at
     FROM sequence_log WHERE host_id = (SELECT host_id FROM host) AND counter > :after
     ORDER BY counter LIMIT :limit`,
      { after, limit: limit ?? LIMITS.pageRows },
    )
    .map((row) => ({ ...row }));
}
