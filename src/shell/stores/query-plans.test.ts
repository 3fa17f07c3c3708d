import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TASK_VIEWS } from "#model";
import { cursorOf } from "./journal/cursor.ts";
import { answerTasks } from "./journal/task-lists.ts";
import { openMigrated } from "./open-store.ts";
import { SHIPPED_MIGRATIONS } from "./open-stores.ts";
import { collectFrom, collectStatements, type Given, type Statement } from "./sql-statements.fixture.ts";
import { openSqlite } from "./sqlite.ts";
import { AT, must } from "./store.fixture.ts";

// Cost must not grow with history: no statement walks through or sorts a table that grows for as long as Silas is used.

const ROOT = import.meta.dirname;
const ENGINE = join(ROOT, "../../engine");
const collectAll = () => [ROOT, ENGINE].map((root) => collectStatements(root, GIVEN));

/** Tables with a row for each thing an owner has few of, or only for what is open. Every other table grows. */
const SMALL_TABLES: { readonly [table: string]: string } = {
  applied_migrations: "one row for each migration",
  connections: "one row for each connection",
  dead_messages: "each needed a message that nobody could handle",
  goals: "one row for each goal",
  host: "one row",
  message_nonce_floor: "one row",
  owner_keys: "one row for each key",
  passkeys: "one row for each passkey",
  queue_leases: "only what is being handled, LIMITS.leasesHeld for each reader",
  secure_inputs: "one row for each secret",
  sessions: "one row for each device",
  sqlite_master: "the schema",
  task_counts: "one row for each day on which an open task is due, and two more",
  telegram_notices: "only what the owner was told and is still open",
  telegram_strangers: "LIMITS.telegramStrangers at most",
  telegram_texts: "only what is not handled yet",
  unbegun_attempts: "only what nothing has run yet",
};

/** Indexes that hold only rows that are open, or rows in the order in which a LIMIT takes them. */
const BOUNDED_INDEXES: { readonly [index: string]: string } = {
  audit_checkpoints_signed: "read from its end, one row",
  global_stops_standing: "at most one row",
  goal_cycles_open: "one row for each goal",
  messages_unsettled: "only what waits for its gates",
  pending_decisions_decided: "read from its end, as many as are shown",
  pending_decisions_of_goals: "one row for each approved version of a goal",
  pending_decisions_of_limits: "read from its end, as many as are shown",
  pending_decisions_weighed: "read from its end, as many as are weighed",
  skill_installs_current: "one row for each skill",
  tasks_in_order: "read from either end, one row",
  timers_following: "read from either end, one row",
  work_runs_in_doubt: "runs that nobody knows the end of; each needed a crash",
  work_runs_open: "only runs that go on",
};

/** Statements that may do it all the same, by a part of them and why. */
const EXCUSED: { readonly [part: string]: string } = {
  "SELECT count(*) AS count FROM records WHERE updated_at > ?":
    "asked by `silas doctor` and restore, which read everything",
  "SELECT DISTINCT gate.atom AS name": "sorts the gates of the runs of one page",
  "SELECT work_item_id AS id, min(title) AS title": "sorts the titles of one page",
  "SELECT lists.parent_id AS task_id": "sorts the checklists of the tasks of one page",
  "SELECT record FROM work_runs WHERE run_id IN": "sorts the runs whose id fits",
  "json_extract(entry, '$.decision.token_id')": "sorts the decisions that the steps of one run or project asked for",
  "SELECT r.run_id FROM decision_tokens g": "sorts the runs of one request",
  "ended_rank > :from AND started_at < :to": "sorts the time entries that ended since the span began",
  "target_type = :type": "sorts the ratings of one kind; a person gives a few a day",
  "FROM records WHERE parent_id = :id": "sorts what belongs to one record",
  "FROM records WHERE entry_task_id = :id": "sorts what belongs to one task",
  "FROM records WHERE source_task_id = :id": "sorts what belongs to one task",
  "FROM records WHERE seq IN": "sorts the records whose id fits, LIMITS.foundRows of them",
  "SELECT m.seq FROM memory_search": "sorts what a full-text search found",
};

/** What is put together while running. */
const GIVEN: Given = {
  "sqlite.ts: text": [],
  "migrations.ts: statement": [],
  "inspect.ts: sql": [],
  "audit/open-beside.ts: sql": [],
  'memories/memory-store.ts: columns.map((name) => `${name} = :${name}`).join(", ")': ["content = :content"],
  'work/work-store.ts: `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})`':
    [],
  'journal/task-lists.ts: `${where.join(" AND ")} ORDER BY ${order} LIMIT :limit`': [],
};
/** Read by `silas doctor`, which looks at every row there is. */
const WHOLE_STORE = ["damaged-rows.ts"];
/** Only for files of an older version. */
const OLDER = "SELECT act_id FROM audit_entries WHERE act_id IN";

const dir = mkdtempSync(join(tmpdir(), "silas-plans-"));
let databases: readonly DatabaseSync[] = [];
beforeAll(async () => void (databases = await openSchemas()));
afterAll(() => {
  for (const database of databases) database.close();
  rmSync(dir, { recursive: true, force: true });
});

async function openSchemas(): Promise<readonly DatabaseSync[]> {
  const opened: DatabaseSync[] = [];
  for (const store of ["runtime", "journal"]) {
    const path = join(dir, `${store}.db`);
    const migrationsDir = join(SHIPPED_MIGRATIONS, store);
    must(await openMigrated({ path, synchronous: "NORMAL", migrationsDir, at: AT })).close();
    opened.push(new DatabaseSync(path));
  }
  return opened;
}

/** The lists of tasks are put together from a view, filters and a place to go on from: every combination is asked once. */
function taskListStatements(): readonly Statement[] {
  const path = join(dir, "journal.db");
  const seen = new Set<string>();
  const db = openSqlite({ path, synchronous: "NORMAL", onStatement: (sql) => void seen.add(sql) });
  for (const view of TASK_VIEWS) {
    const keys =
      view === "done" || view === "archived"
        ? ["", ""]
        : ["today", "upcoming"].includes(view)
          ? ["", 0, "", ""]
          : ["", ""];
    for (const categoryId of [undefined, "c"]) {
      for (const labelId of [undefined, "l"]) {
        for (const cursor of [undefined, cursorOf(`tasks:${view}`, keys)]) {
          const filters = { ...(categoryId && { categoryId }), ...(labelId && { labelId }), ...(cursor && { cursor }) };
          must(
            answerTasks(db, { kind: "tasks", view, today: "2026-11-15", ...filters } as Parameters<
              typeof answerTasks
            >[1]),
          );
        }
      }
    }
  }
  db.close();
  return [...seen].filter((sql) => sql.startsWith("SELECT")).map((sql) => ({ sql, file: "journal/task-lists.ts" }));
}

const flat = (sql: string): string => sql.replaceAll(/\s+/g, " ").trim();

function planOf({ sql }: Statement): readonly string[] | null {
  for (const database of databases) {
    try {
      return database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail));
    } catch (cause) {
      if (!/no such (table|column|index)/.test(String(cause))) throw new Error(flat(sql), { cause });
    }
  }
  return null;
}

/** The table behind a name in a plan; null for what is no table: a subquery, a list, a full-text search. */
function tableOf(name: string, sql: string): string | null {
  const aliased = new RegExp(`(\\w+)\\s+(?:AS\\s+)?${name}\\b(?!\\s*\\()`, "gi");
  const tables = new Set(
    databases.flatMap((db) =>
      db
        .prepare("SELECT name FROM sqlite_master")
        .all()
        .map((row) => String(row["name"])),
    ),
  );
  tables.add("sqlite_master");
  if (tables.has(name)) return name;
  return [...sql.matchAll(aliased)].map(([, table = ""]) => table).find((table) => tables.has(table)) ?? null;
}

type Step = {
  readonly text: string;
  readonly how: "SCAN" | "SEARCH";
  readonly table: string | null;
  readonly index: string;
};

function stepsOf(plan: readonly string[], sql: string): readonly Step[] {
  return plan.flatMap((text) => {
    const [, how, name = "", index = ""] = /^(SCAN|SEARCH) (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/.exec(text) ?? [];
    if (how === undefined) return [];
    const table = text.includes("VIRTUAL TABLE") ? null : tableOf(name, sql);
    return [{ text, how: how as Step["how"], table, index }];
  });
}

const isBounded = ({ table, index }: Step): boolean =>
  (table !== null && Object.hasOwn(SMALL_TABLES, table)) || Object.hasOwn(BOUNDED_INDEXES, index);

/** What grows with history in how a statement is carried out. */
function growthOf(statement: Statement): readonly string[] {
  const sql = flat(statement.sql);
  const plan = planOf(statement);
  if (plan === null) return [`${sql}: no table for it`];
  const steps = stepsOf(plan, sql);
  // The last term alone sorts rows that are equal in all others, which are few.
  const sorts = plan.filter((step) => step.includes("TEMP B-TREE") && !step.endsWith("FOR LAST TERM OF ORDER BY"));
  // From one end of a table or index, as many rows as are asked for.
  const isOneEnd = / LIMIT (:\w+|\d+)$/.test(sql) && !sql.includes("WHERE") && sorts.length === 0;
  const scans = steps.filter((step) => step.how === "SCAN" && step.table !== null && !isBounded(step) && !isOneEnd);
  // What is sorted comes from the first table that is read; the others are looked up for each of its rows.
  const first = steps.find(({ table }) => table !== null);
  const sorted = first === undefined || isBounded(first) ? [] : sorts;
  return [...scans.map(({ text }) => text), ...sorted].map((step) => `${statement.file}: ${sql}: ${step}`);
}

const excuseOf = (sql: string): string | undefined => Object.keys(EXCUSED).find((part) => flat(sql).includes(part));

describe("every SQL statement of the stores", () => {
  let statements: readonly Statement[];
  beforeAll(() => {
    statements = [...collectAll().flatMap((collected) => collected.statements), ...taskListStatements()];
  });

  test("is read by this test", () => {
    const missed = collectAll()
      .flatMap((collected) => collected.missed)
      .filter((one) => !WHOLE_STORE.some((file) => one.startsWith(file)));
    expect(missed).toEqual([]);
    expect(statements.length).toBeGreaterThan(250);
  });

  test("neither walks through nor sorts a table that grows", () => {
    const growing = statements
      .filter(({ sql }) => isPlanned(sql) && excuseOf(sql) === undefined && !flat(sql).startsWith(OLDER))
      .flatMap(growthOf);
    expect(growing).toEqual([]);
  });

  test("has no excuse that it does not need", () => {
    const growing = statements.filter(({ sql }) => isPlanned(sql) && growthOf({ sql, file: "" }).length > 0);
    const needed = new Set(growing.map(({ sql }) => excuseOf(sql)));
    expect(Object.keys(EXCUSED).filter((part) => !needed.has(part))).toEqual([]);
  });
});

const isPlanned = (sql: string): boolean => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s/.test(sql);

describe("a statement that is planted", () => {
  test.each([
    ["a scan", "SELECT * FROM messages WHERE text = :text"],
    ["a scan below an alias", "SELECT m.* FROM memory_items m WHERE m.content = :text"],
    [
      "a scan for each row",
      "SELECT *, (SELECT seq FROM audit_entries t WHERE json_extract(t.entry, '$.data.memory_id') = m.memory_id) FROM memory_items m WHERE m.memory_id = :id",
    ],
    ["a sort", "SELECT * FROM pending_decisions WHERE state = 'approved' ORDER BY plan_hash"],
    ["a scan behind a LIMIT", "SELECT * FROM work_runs WHERE attempts > 3 ORDER BY started_at LIMIT 5"],
  ])("%s is found", (_what, sql) => {
    expect(growthOf({ sql, file: "planted.ts" })).not.toEqual([]);
  });

  test("a lookup by key is none", () => {
    expect(growthOf({ sql: "SELECT * FROM messages WHERE message_id = :id", file: "planted.ts" })).toEqual([]);
  });

  test("one that cannot be followed, or that reaches no call, is missed by name", () => {
    const text = [
      'const A = "SELECT 1 FROM messages";',
      "export const read = (db, sql) => db.all(sql.trim());",
      "export const found = (db, table) => db.get(`SELECT * FROM ${table}`);",
      'found(db, "turns");',
    ].join("\n");
    const { statements, missed } = collectFrom(new Map([["/x/planted.ts", text]]), { root: "/x", given: {} });
    expect(statements).toEqual([{ sql: "SELECT * FROM turns", file: "planted.ts" }]);
    expect(missed).toEqual(["planted.ts: sql.trim()", 'planted.ts: "SELECT 1 FROM messages"']);
  });
});
