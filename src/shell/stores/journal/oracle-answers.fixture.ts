import { LIMITS, msOfInstant, ok, type Instant, type Result } from "#base";
import {
  dayPlanId,
  ratingId,
  type AnswerOf,
  type AppliedOperation,
  type ChangeRow,
  type InvalidInput,
  type JournalQuery,
  type JournalRecord,
  type OperationRow,
  type Page,
  type RecordId,
  type RecordKind,
  type RecordOf,
  type TaskDetail,
  type TaskRow,
  type TaskView,
  type TimelineRow,
} from "#model";
import { cursorOf, keysOfCursor, type Keys } from "./cursor.ts";
import { firstFound } from "./find.ts";
import { searchNaively } from "./oracle-search.fixture.ts";
import { titleOf } from "./record-words.ts";

/** Everything the oracle holds. Each answer looks at all of it: slow, and obvious enough to trust. */
export type MemoryState = {
  readonly hostId: string;
  readonly counter: number;
  readonly records: ReadonlyMap<RecordId, JournalRecord>;
  readonly operations: readonly AppliedOperation[];
  readonly log: readonly ChangeRow[];
};

type QueryOf<K extends JournalQuery["kind"]> = Extract<JournalQuery, { kind: K }>;
type Answering = {
  readonly [K in JournalQuery["kind"]]: (
    state: MemoryState,
    query: QueryOf<K>,
  ) => Result<AnswerOf<QueryOf<K>>, InvalidInput>;
};

const ANSWERING: Answering = {
  tasks: (state, query) => {
    const tasks = tasksIn(state, query)
      .filter(({ body }) => query.categoryId === undefined || body.categoryId === query.categoryId)
      .filter(({ body }) => query.labelId === undefined || body.labelIds.includes(query.labelId));
    const page = pageOf(tasks, { list: `tasks:${query.view}`, query, keysOf: (task) => taskKeys(query.view, task) });
    return page.ok ? ok({ ...page.value, rows: page.value.rows.map((task) => rowOf(state, task)) }) : page;
  },
  task: (state, { id }) => ok(detailOf(state, id)),
  categories: (state) => ok(sorted(live(state, "category"), ({ id, body }) => [body.order, id])),
  labels: (state) => ok(sorted(live(state, "label"), ({ id, body }) => [body.name + id])),
  timer: (state) => {
    const running = live(state, "timeEntry").filter(({ body }) => body.endedAt === null);
    const entry = sorted(running, ({ id, body }) => [body.startedAt, id]).at(-1);
    return ok(entry === undefined ? null : { entry, task: find(state, { kind: "task", id: entry.body.taskId }) });
  },
  timeline: (state, query) => {
    const rows = [...live(state, "entry"), ...live(state, "timeEntry"), ...live(state, "task")].filter((row) => {
      const [at] = timelineKeys(row);
      return at !== "" && at >= query.from && at < query.to;
    });
    const newestFirst = sorted<TimelineRow>(rows, timelineKeys).toReversed();
    return pageOf(newestFirst, { list: "timeline", query, keysOf: timelineKeys });
  },
  time: (state, { from, to, taskId }) => {
    const touching = live(state, "timeEntry").filter(
      ({ body }) =>
        body.startedAt < to &&
        (body.endedAt === null || body.endedAt > from) &&
        (taskId === undefined || body.taskId === taskId),
    );
    return ok(sorted(touching, ({ id, body }) => [body.startedAt, id]));
  },
  day: (state, { date }) => {
    const plan = find(state, { kind: "dayPlan", id: dayPlanId(date) });
    const blocks = live(state, "planBlock").filter(({ body }) => body.planId === dayPlanId(date));
    const pinned = (plan?.body.pinnedTaskIds ?? []).map((id) => find(state, { kind: "task", id }));
    return ok({
      date,
      plan,
      blocks: sorted(blocks, ({ id, body }) => [body.startTime, id]),
      pinned: pinned.filter((task) => task !== null).map((task) => rowOf(state, task)),
      rating: find(state, { kind: "rating", id: ratingId("day", date) }),
    });
  },
  ratings: (state, { targetType, from, to }) => {
    const dayOf = (rating: RecordOf<"rating">): string =>
      targetType === "day" ? rating.body.targetId : rating.updatedAt.slice(0, 10);
    const wanted = live(state, "rating").filter(
      (rating) => rating.body.targetType === targetType && dayOf(rating) >= from && dayOf(rating) <= to,
    );
    return ok(sorted(wanted, (rating) => [dayOf(rating), rating.id]));
  },
  search: (state, query) => ok({ hits: searchNaively([...state.records.values()], query), tookMs: 0 }),
  find: (state, query) => ok(foundIn([...state.records.values()], query)),
  operations: (state, { limit = LIMITS.pageRows }) =>
    ok(
      state.operations
        .toReversed()
        .slice(0, limit)
        .map((one) => operationRow(state, one)),
    ),
  operation: (state, { id }) => {
    const found = state.operations.find((one) => one.operationId === id);
    return ok(found === undefined ? null : operationRow(state, found));
  },
  changes: (state, { after, limit = LIMITS.pageRows }) => {
    const own = state.log.filter((row) => row.hostId === state.hostId && row.counter > after);
    return ok(own.toSorted((a, b) => a.counter - b.counter).slice(0, limit));
  },
  counts: (state, { today }) => {
    const count = (view: TaskView): number => tasksIn(state, { view, today }).length;
    return ok({
      open: count("open"),
      today: count("today"),
      upcoming: count("upcoming"),
      inbox: count("inbox"),
      done: count("done"),
      archived: count("archived"),
    });
  },
};

export function answerFromMemory<Q extends JournalQuery>(
  state: MemoryState,
  query: Q,
): Result<AnswerOf<Q>, InvalidInput> {
  const answering = ANSWERING[query.kind] as (s: MemoryState, q: JournalQuery) => Result<AnswerOf<Q>, InvalidInput>;
  return answering(state, query);
}

/** All live records of a kind. */
export function live<K extends RecordKind>(state: MemoryState, kind: K): readonly RecordOf<K>[] {
  const isWanted = (record: JournalRecord): boolean => record.kind === kind && record.deletedAt === null;
  return [...state.records.values()].filter(isWanted) as RecordOf<K>[];
}

function find<K extends RecordKind>(
  state: MemoryState,
  { kind, id }: { readonly kind: K; readonly id: RecordId | null },
): RecordOf<K> | null {
  return live(state, kind).find((record) => record.id === id) ?? null;
}

export function sorted<T>(rows: readonly T[], keysOf: (row: T) => Keys): readonly T[] {
  return rows.toSorted((a, b) => compareKeys(keysOf(a), keysOf(b)));
}

function compareKeys(a: Keys, b: Keys): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? "";
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

type Paging<T> = {
  readonly list: string;
  readonly query: { readonly limit?: number | undefined; readonly cursor?: string | undefined };
  readonly keysOf: (row: T) => Keys;
};

/** The page of sorted rows after the cursor. The row the cursor names may have moved or gone meanwhile. */
function pageOf<T>(rows: readonly T[], { list, query, keysOf }: Paging<T>): Result<Page<T>, InvalidInput> {
  const sample = list === "tasks:today" || list === "tasks:upcoming" ? ["", 0, "", ""] : ["", ""];
  const after = keysOfCursor({ list, cursor: query.cursor, sample });
  if (!after.ok) return after;
  const limit = query.limit ?? LIMITS.pageRows;
  const isDescending = ["timeline", "tasks:done", "tasks:archived"].includes(list);
  const isAfter = (row: T): boolean =>
    after.value === null || compareKeys(keysOf(row), after.value) * (isDescending ? -1 : 1) > 0;
  const rest = rows.filter(isAfter);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  return ok({
    rows: shown,
    nextCursor: rest.length > limit && last !== undefined ? cursorOf(list, keysOf(last)) : null,
  });
}

const isConcluded = ({ body }: RecordOf<"task">): boolean => body.status === "DONE" || body.status === "DROPPED";

function tasksIn(
  state: MemoryState,
  { view, today }: { readonly view: TaskView; readonly today: string },
): readonly RecordOf<"task">[] {
  const tasks = live(state, "task").filter((task) => {
    const { archivedAt, dueDate, categoryId } = task.body;
    const isOpen = archivedAt === null && !isConcluded(task);
    if (view === "archived") return archivedAt !== null;
    if (view === "done") return archivedAt === null && isConcluded(task);
    if (view === "inbox") return isOpen && categoryId === null;
    if (view === "today") return isOpen && dueDate !== null && dueDate <= today;
    if (view === "upcoming") return isOpen && dueDate !== null && dueDate > today;
    return isOpen;
  });
  const ascending = sorted(tasks, (task) => taskKeys(view, task));
  return view === "done" || view === "archived" ? ascending.toReversed() : ascending;
}

function taskKeys(view: TaskView, { id, body }: RecordOf<"task">): Keys {
  if (view === "open" || view === "inbox") return [body.order, id];
  if (view === "done" || view === "archived") return [body.archivedAt ?? body.concludedAt ?? "", id];
  return [body.dueDate ?? "", body.priority ?? 9, body.order, id];
}

function timelineKeys(row: TimelineRow): readonly [string, string] {
  if (row.kind === "entry") return [row.body.occurredAt, row.id];
  if (row.kind === "timeEntry") return [row.body.startedAt, row.id];
  return [row.body.concludedAt ?? "", row.id];
}

function rowOf(state: MemoryState, task: RecordOf<"task">): TaskRow {
  const lists = live(state, "checklist").filter(({ body }) => body.taskId === task.id);
  const items = live(state, "checklistItem").filter(({ body }) => lists.some(({ id }) => id === body.checklistId));
  const times = live(state, "timeEntry").filter(({ body }) => body.taskId === task.id);
  const running = times.filter(({ body }) => body.endedAt === null).map(({ body }) => body.startedAt);
  const spentMs = times.reduce(
    (sum, { body }) => sum + (body.endedAt === null ? 0 : msOfInstant(body.endedAt) - msOfInstant(body.startedAt)),
    0,
  );
  return {
    task,
    itemsTotal: items.length,
    itemsChecked: items.filter(({ body }) => body.checked).length,
    spentSeconds: Math.floor(spentMs / 1000),
    runningSince: running.toSorted().at(-1) ?? (null as Instant | null),
  };
}

function detailOf(state: MemoryState, id: RecordId): TaskDetail | null {
  const task = find(state, { kind: "task", id });
  if (task === null) return null;
  const lists = live(state, "checklist").filter(({ body }) => body.taskId === id);
  const links = live(state, "link").filter(({ body }) => body.fromId === id || body.toId === id);
  const newest = <T>(rows: readonly T[], keysOf: (row: T) => Keys) => sorted(rows, keysOf).toReversed();
  return {
    ...rowOf(state, task),
    checklists: sorted(lists, (list) => [list.body.order, list.id]).map((checklist) => ({
      checklist,
      items: sorted(
        live(state, "checklistItem").filter(({ body }) => body.checklistId === checklist.id),
        (item) => [item.body.order, item.id],
      ),
    })),
    timeEntries: newest(
      live(state, "timeEntry").filter(({ body }) => body.taskId === id),
      (entry) => [entry.body.startedAt, entry.id],
    ),
    entries: newest(
      live(state, "entry").filter(({ body }) => body.taskId === id),
      (entry) => [entry.body.occurredAt, entry.id],
    ),
    links: sorted(links, (link) => [link.createdAt, link.id]).map((link) => ({
      link,
      other: otherEnd(state, { link, id }),
    })),
    source: find(state, { kind: "task", id: task.body.sourceTaskId }),
    followUps: sorted(
      live(state, "task").filter(({ body }) => body.sourceTaskId === id),
      (followUp) => [followUp.createdAt, followUp.id],
    ),
    rating: find(state, { kind: "rating", id: ratingId("task", id) }),
  };
}

function otherEnd(
  state: MemoryState,
  { link, id }: { readonly link: RecordOf<"link">; readonly id: RecordId },
): TaskDetail["links"][number]["other"] {
  const other = state.records.get(link.body.fromId === id ? link.body.toId : link.body.fromId);
  if (other === undefined || other.deletedAt !== null) return null;
  return { id: other.id, kind: other.kind, title: titleOf(other) };
}

function foundIn(records: readonly JournalRecord[], query: QueryOf<"find">): AnswerOf<QueryOf<"find">> {
  const { idPart, kinds } = query;
  const fitting = records.filter(
    ({ id, kind }) => (id.startsWith(idPart) || id.endsWith(idPart)) && (kinds === undefined || kinds.includes(kind)),
  );
  const alive = fitting.filter(({ deletedAt }) => deletedAt === null);
  return firstFound(alive.length > 0 ? alive : fitting, idPart);
}

function operationRow(state: MemoryState, operation: AppliedOperation): OperationRow {
  const subject = operation.subjectId === null ? undefined : state.records.get(operation.subjectId);
  return {
    operationId: operation.operationId,
    at: operation.at,
    commandKind: operation.command.kind,
    subjectId: operation.subjectId,
    title: subject === undefined ? "" : titleOf(subject),
    undoneBy: operation.undoneBy,
  };
}
