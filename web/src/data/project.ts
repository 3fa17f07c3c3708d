import type {
  AnswerOf,
  BodyOf,
  CommandOf,
  DayView,
  JournalAnswers,
  JournalCommand,
  JournalQuery,
  RecordId,
  RecordKind,
  RecordOf,
  TaskDetail,
  TaskRow,
} from "#model";
import { dayPlanId } from "#model";
import { instantFromMs, type Instant } from "#base";
import type { Waiting } from "./database.ts";
import { standInOf } from "./stand-in.ts";

export type Projection<Q extends JournalQuery> = {
  readonly query: Q;
  readonly answer: AnswerOf<Q>;
  readonly pending: readonly Waiting[];
};

/**
 * Shows commands that have not been answered yet on top of what was read, so that a write is in sight before the
 * server, or even a connection, has seen it. Nothing here is kept: the next read replaces it.
 */
export function projectAnswer<Q extends JournalQuery>({ query, answer, pending }: Projection<Q>): AnswerOf<Q> {
  const live = pending.filter((row) => row.refusal === null);
  if (live.length === 0) return answer;
  const fold = <T>(start: T, step: (value: T, row: Waiting) => T): T => live.reduce(step, start);
  switch (query.kind) {
    case "tasks":
      return fold(answer as JournalAnswers["tasks"], (page, row) => projectTasks(query, page, row)) as AnswerOf<Q>;
    case "task":
      return fold(answer as JournalAnswers["task"], projectTask) as AnswerOf<Q>;
    case "timer":
      return fold(answer as JournalAnswers["timer"], projectTimer) as AnswerOf<Q>;
    case "day":
      return fold(answer as DayView, projectDay) as AnswerOf<Q>;
    case "time":
      return fold(answer as JournalAnswers["time"], (entries, { command }) =>
        command.kind === "time.update" || command.kind === "time.delete" ? changeTimes(entries, command) : entries,
      ) as AnswerOf<Q>;
    case "timeline":
      return fold(answer as JournalAnswers["timeline"], projectTimeline) as AnswerOf<Q>;
    default:
      return answer;
  }
}

const isMadeBy = (row: Waiting, id: RecordId): boolean => row.madeIds?.includes(id) ?? false;

const instantOf = (ms: number): Instant => {
  const result = instantFromMs(ms);
  return result.ok ? result.value : ("1970-01-01T00:00:00.000Z" as Instant);
};

function pendingRecord<K extends RecordKind>(row: Waiting, kind: K, body: BodyOf<K>): RecordOf<K> {
  const at = instantOf(row.atMs);
  const meta = {
    id: standInOf(row.operationId),
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    revision: 1,
    counter: 1,
  };
  return { ...meta, hostId: "pending", vectorClock: {}, kind, body } as RecordOf<K>;
}

type TasksQuery = Extract<JournalQuery, { kind: "tasks" }>;

function projectTasks(query: TasksQuery, page: JournalAnswers["tasks"], row: Waiting): JournalAnswers["tasks"] {
  const { command } = row;
  if (command.kind === "task.create") {
    const made = createdRow(row, command);
    const isThere = page.rows.some((each) => isMadeBy(row, each.task.id));
    return !isThere && belongs(query, made.task.body) ? { ...page, rows: [made, ...page.rows] } : page;
  }
  if (command.kind === "task.move") return { ...page, rows: moveRow(page.rows, command) };
  if (command.kind === "task.delete" || command.kind === "task.archive") {
    return { ...page, rows: page.rows.filter((each) => each.task.id !== command.id) };
  }
  return { ...page, rows: page.rows.map((each) => changeRow(each, command, row)) };
}

function createdRow(row: Waiting, command: CommandOf<"task.create">): TaskRow {
  const body: BodyOf<"task"> = {
    categoryId: command.categoryId ?? null,
    title: command.title,
    notes: command.notes ?? "",
    status: "OPEN",
    priority: command.priority ?? null,
    dueDate: command.dueDate ?? null,
    dueTime: command.dueTime ?? null,
    estimateMinutes: command.estimateMinutes ?? null,
    language: command.language ?? null,
    labelIds: command.labelIds ?? [],
    sourceTaskId: null,
    repeat: command.repeat ?? null,
    order: "a",
    concludedAt: null,
    archivedAt: null,
  };
  const itemsTotal = command.items?.length ?? 0;
  return { task: pendingRecord(row, "task", body), itemsTotal, itemsChecked: 0, spentSeconds: 0, runningSince: null };
}

function belongs(query: TasksQuery, body: BodyOf<"task">): boolean {
  if (query.cursor !== undefined || query.labelId !== undefined) return false;
  if (query.categoryId !== undefined && query.categoryId !== body.categoryId) return false;
  if (query.view === "open") return true;
  if (query.view === "today") return body.dueDate !== null && body.dueDate <= query.today;
  if (query.view === "upcoming") return body.dueDate !== null && body.dueDate > query.today;
  return query.view === "inbox" && body.categoryId === null;
}

function moveRow(rows: readonly TaskRow[], { id, after }: CommandOf<"task.move">): readonly TaskRow[] {
  const moved = rows.find((each) => each.task.id === id);
  if (moved === undefined) return rows;
  const rest = rows.filter((each) => each !== moved);
  const place = after === null ? 0 : rest.findIndex((each) => each.task.id === after) + 1;
  return [...rest.slice(0, place), moved, ...rest.slice(place)];
}

function changeRow<R extends TaskRow>(each: R, command: JournalCommand, row: Waiting): R {
  const { task } = each;
  const withBody = (change: Partial<BodyOf<"task">>): R => ({
    ...each,
    task: { ...task, body: { ...task.body, ...change } },
  });
  const at = instantOf(row.atMs);
  if (command.kind === "timer.start")
    return command.taskId === task.id ? { ...each, runningSince: command.startedAt } : each;
  if (command.kind === "timer.stop") return each.runningSince === null ? each : { ...each, runningSince: null };
  if (!("id" in command) || command.id !== task.id) return each;
  if (command.kind === "task.update") return withBody(definedOnly(command.set));
  if (command.kind === "task.conclude")
    return { ...withBody({ status: command.as, concludedAt: at }), runningSince: null };
  if (command.kind === "task.reopen") return withBody({ status: "OPEN", concludedAt: null });
  if (command.kind === "task.archive") return withBody({ archivedAt: at });
  return command.kind === "task.unarchive" ? withBody({ archivedAt: null }) : each;
}

function definedOnly<T extends object>(set: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** A task that waits to be sent, opened: as it was captured, with what was changed since. Null when none waits. */
export function pendingTask(id: RecordId, pending: readonly Waiting[]): TaskDetail | null {
  const row = pending.find((each) => standInOf(each.operationId) === id && each.refusal === null);
  if (row === undefined || row.command.kind !== "task.create") return null;
  const none = { checklists: [], timeEntries: [], entries: [], links: [], source: null, followUps: [], rating: null };
  return pending
    .filter(({ refusal }) => refusal === null)
    .reduce<TaskDetail>((detail, each) => changeRow(detail, each.command, each), {
      ...createdRow(row, row.command),
      ...none,
    });
}

function projectTask(detail: TaskDetail | null, row: Waiting): TaskDetail | null {
  if (detail === null) return null;
  const { command } = row;
  if (command.kind === "item.update") return { ...detail, checklists: changeItems(detail.checklists, command) };
  if (command.kind === "rating.set" && command.targetType === "task" && command.targetId === detail.task.id) {
    return { ...detail, rating: ratingOf(row, command) };
  }
  if (command.kind === "time.update" || command.kind === "time.delete") {
    return { ...detail, timeEntries: changeTimes(detail.timeEntries, command) };
  }
  return changeRow(detail, command, row);
}

type TimeWrite = CommandOf<"time.update"> | CommandOf<"time.delete">;

/** Works on any list that holds time entries; what else is in it stays as it is. */
function changeTimes<R extends { readonly id: RecordId; readonly kind: RecordKind; readonly body: object }>(
  rows: readonly R[],
  command: TimeWrite,
): readonly R[] {
  if (command.kind === "time.delete") return rows.filter((each) => each.id !== command.id);
  return rows.map((each) =>
    each.kind === "timeEntry" && each.id === command.id
      ? { ...each, body: { ...each.body, ...definedOnly(command.set) } }
      : each,
  );
}

function changeItems(lists: TaskDetail["checklists"], command: CommandOf<"item.update">): TaskDetail["checklists"] {
  const changes = new Map(command.items.map((item) => [item.id, item]));
  return lists.map((list) => ({
    ...list,
    items: list.items.map((item) => {
      const change = changes.get(item.id);
      if (change === undefined) return item;
      const { title = item.body.title, checked = item.body.checked } = change;
      return { ...item, body: { ...item.body, title, checked } };
    }),
  }));
}

const ratingOf = (row: Waiting, { targetType, targetId, value, note }: CommandOf<"rating.set">): RecordOf<"rating"> =>
  pendingRecord(row, "rating", { targetType, targetId, value, note });

function projectTimer(timer: JournalAnswers["timer"], row: Waiting): JournalAnswers["timer"] {
  const { command } = row;
  if (command.kind === "timer.stop") return null;
  if (command.kind !== "timer.start") return timer;
  const { taskId, startedAt, description } = command;
  const entry = pendingRecord(row, "timeEntry", { taskId, startedAt, endedAt: null, description, sourceEntryId: null });
  return { entry, task: null };
}

function projectDay(day: DayView, row: Waiting): DayView {
  const { command } = row;
  if (command.kind === "rating.set" && command.targetType === "day" && command.targetId === String(day.date)) {
    return { ...day, rating: ratingOf(row, command) };
  }
  if (!("planDate" in command) || command.planDate !== day.date) {
    return { ...day, pinned: day.pinned.map((each) => changeRow(each, command, row)) };
  }
  if (command.kind === "plan.blocks") return { ...day, blocks: changeBlocks(day, command, row) };
  if (command.kind === "plan.note") return { ...day, plan: planWithNote(day, command.note, row) };
  if (command.kind === "plan.unpin") {
    return { ...day, pinned: day.pinned.filter((each) => !command.taskIds.includes(each.task.id)) };
  }
  if (command.kind !== "plan.reorder") return day;
  const place = (each: TaskRow): number => command.taskIds.indexOf(each.task.id);
  return { ...day, pinned: day.pinned.toSorted((a, b) => place(a) - place(b)) };
}

function planWithNote(day: DayView, note: string, row: Waiting): RecordOf<"dayPlan"> {
  const plan = day.plan ?? pendingRecord(row, "dayPlan", { planDate: day.date, pinnedTaskIds: [], note: "" });
  return { ...plan, body: { ...plan.body, note } };
}

function changeBlocks(day: DayView, command: CommandOf<"plan.blocks">, row: Waiting): DayView["blocks"] {
  const changes = new Map(command.upserts.map((each) => [each.id, each]));
  const kept = day.blocks
    .filter((block) => !command.deletes.includes(block.id))
    .map((block) => {
      const change = changes.get(block.id);
      return change === undefined ? block : { ...block, body: { planId: block.body.planId, ...withoutId(change) } };
    });
  const isThere = day.blocks.some((block) => isMadeBy(row, block.id));
  const made = command.upserts
    .filter(({ id }) => id === null && !isThere)
    .map((each) => pendingRecord(row, "planBlock", { planId: dayPlanId(day.date), ...withoutId(each) }));
  return [...kept, ...made].toSorted((a, b) => (a.body.startTime < b.body.startTime ? -1 : 1));
}

type BlockChange = CommandOf<"plan.blocks">["upserts"][number];

const withoutId = ({ categoryId, taskId, startTime, endTime, note }: BlockChange): Omit<BlockChange, "id"> => ({
  categoryId,
  taskId,
  startTime,
  endTime,
  note,
});

function projectTimeline(page: JournalAnswers["timeline"], row: Waiting): JournalAnswers["timeline"] {
  const { command } = row;
  if (command.kind === "entry.create") {
    if (page.rows.some((each) => isMadeBy(row, each.id))) return page;
    const { form, occurredAt, text } = command;
    const { categoryId = null, taskId = null, workoutType = null, durationSeconds = null } = command;
    const body = { form, occurredAt, text, categoryId, taskId, workoutType, durationSeconds };
    return { ...page, rows: [pendingRecord(row, "entry", body), ...page.rows] };
  }
  if (command.kind === "time.update" || command.kind === "time.delete") {
    return { ...page, rows: changeTimes(page.rows, command) };
  }
  if (command.kind === "entry.delete") return { ...page, rows: page.rows.filter((each) => each.id !== command.id) };
  if (command.kind !== "entry.update") return page;
  return {
    ...page,
    rows: page.rows.map((each) =>
      each.id === command.id && each.kind === "entry"
        ? { ...each, body: { ...each.body, ...definedOnly(command.set) } }
        : each,
    ),
  };
}
