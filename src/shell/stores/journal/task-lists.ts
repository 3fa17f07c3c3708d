import { assert, LIMITS, ok, type Result } from "#base";
import type { AnswerOf, InvalidInput, JournalQuery, RecordOf, TaskRow, TaskView } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { cursorOf, keysOfCursor, type Keys } from "./cursor.ts";
import { selectRecords } from "./rows.ts";
import { withProgress } from "./task-rows.ts";

type TasksQuery = Extract<JournalQuery, { kind: "tasks" }>;

/** How a view is found and sorted. `key` are the columns of its order; the id makes every order total. */
type ViewPlan = {
  readonly where: string;
  readonly key: readonly string[];
  readonly direction: "ASC" | "DESC";
  readonly keysOf: (task: RecordOf<"task">) => Keys;
};

const byOrder = {
  key: ["sort_order", "id"],
  direction: "ASC",
  keysOf: (task: RecordOf<"task">) => [task.body.order, task.id],
} as const;
const byDue = {
  key: ["due_date", "priority_rank", "sort_order", "id"],
  direction: "ASC",
  keysOf: ({ id, body }: RecordOf<"task">) => [body.dueDate ?? "", body.priority ?? 9, body.order, id],
} as const;
const byShelving = {
  key: ["shelved_at", "id"],
  direction: "DESC",
  keysOf: ({ id, body }: RecordOf<"task">) => [body.archivedAt ?? body.concludedAt ?? "", id],
} as const;

const VIEWS: { readonly [V in TaskView]: ViewPlan } = {
  open: { where: "shelf = 'open'", ...byOrder },
  inbox: { where: "shelf = 'open' AND category_id IS NULL", ...byOrder },
  today: { where: "shelf = 'open' AND due_date <= :today", ...byDue },
  upcoming: { where: "shelf = 'open' AND due_date > :today", ...byDue },
  done: { where: "shelf = 'done'", ...byShelving },
  archived: { where: "shelf = 'archived'", ...byShelving },
};

const sampleOf = ({ key }: ViewPlan): Keys => key.map((column) => (column === "priority_rank" ? 0 : ""));

export function answerTasks(db: Sqlite, query: TasksQuery): Result<AnswerOf<TasksQuery>, InvalidInput> {
  const plan = VIEWS[query.view];
  const list = `tasks:${query.view}`;
  const after = keysOfCursor({ list, cursor: query.cursor, sample: sampleOf(plan) });
  if (!after.ok) return after;
  const limit = query.limit ?? LIMITS.pageRows;
  const tasks = selectTasks(db, { query, plan, after: after.value, limit: limit + 1 });
  const shown = tasks.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = tasks.length > limit && last !== undefined ? cursorOf(list, plan.keysOf(last)) : null;
  return ok({ rows: withProgress(db, shown) satisfies readonly TaskRow[], nextCursor });
}

type Selection = {
  readonly query: TasksQuery;
  readonly plan: ViewPlan;
  readonly after: Keys | null;
  readonly limit: number;
};

function selectTasks(db: Sqlite, { query, plan, after, limit }: Selection): readonly RecordOf<"task">[] {
  const params: Record<string, string | number> = { limit };
  const where = ["shelf IS NOT NULL", plan.where];
  if (plan.where.includes(":today")) params["today"] = query.today;
  if (query.categoryId !== undefined) {
    where.push("category_id = :category");
    params["category"] = query.categoryId;
  }
  if (query.labelId !== undefined) {
    where.push("EXISTS (SELECT 1 FROM task_labels WHERE label_id = :label AND task_seq = records.seq)");
    params["label"] = query.labelId;
  }
  if (after !== null) {
    const names = after.map((_, index) => `:key${index}`);
    where.push(`(${plan.key.join(", ")}) ${plan.direction === "ASC" ? ">" : "<"} (${names.join(", ")})`);
    for (const [index, value] of after.entries()) params[`key${index}`] = value;
  }
  const order = plan.key.map((column) => `${column} ${plan.direction}`).join(", ");
  return selectRecords<"task">(db, { where: `${where.join(" AND ")} ORDER BY ${order} LIMIT :limit`, params: params });
}

type Counts = AnswerOf<Extract<JournalQuery, { kind: "counts" }>>;

/** Added up from the counts that are kept beside the tasks: a few rows, however many tasks there are. */
export function answerCounts(db: Sqlite, { today }: { readonly today: string }): Counts {
  const counts = db.get<Counts>(
    `SELECT
       ifnull(sum(count) FILTER (WHERE place IN ('inbox', 'filed')), 0) AS open,
       ifnull(sum(count) FILTER (WHERE due_date <> '' AND due_date <= :today), 0) AS today,
       ifnull(sum(count) FILTER (WHERE due_date > :today), 0) AS upcoming,
       ifnull(sum(count) FILTER (WHERE place = 'inbox'), 0) AS inbox,
       ifnull(sum(count) FILTER (WHERE place = 'done'), 0) AS done,
       ifnull(sum(count) FILTER (WHERE place = 'archived'), 0) AS archived
     FROM task_counts`,
    { today },
  );
  assert(counts !== null, "a sum without groups is one row");
  return { ...counts };
}
