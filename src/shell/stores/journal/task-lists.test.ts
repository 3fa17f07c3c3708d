import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TASK_VIEWS, type JournalQuery, type JournalRecord, type RecordId } from "#model";
import { openMigrated } from "../open-store.ts";
import { SHIPPED_MIGRATIONS } from "../open-stores.ts";
import { AT, must, tempDir } from "../store.fixture.ts";
import { answerCounts } from "./task-lists.ts";
import { openWithDriver } from "./journal-store.fixture.ts";

const today = "2026-11-15" as never;
const categoryId = "k1" as RecordId;
const labelId = "l1" as RecordId;
const LISTS = TASK_VIEWS.flatMap((view): JournalQuery[] => [
  { kind: "tasks", view, today },
  { kind: "tasks", view, today, categoryId },
  { kind: "tasks", view, today, labelId },
]);

test("no list of tasks walks all records or sorts what it found", async () => {
  const statements = new Set<string>();
  const { db, store } = await openWithDriver((sql) => void statements.add(sql));
  statements.clear();
  for (const query of LISTS) {
    must(await store.answer(query));
  }
  // Statements beside the lists look up the parts of at most one page.
  const lists = [...statements].filter((sql) => sql.includes("shelf IS NOT NULL"));
  expect(lists).toHaveLength(LISTS.length);
  for (const sql of lists) {
    const plan = db.handle
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((step) => step["detail"]);
    expect(plan).toEqual(
      expect.arrayContaining([expect.stringMatching(/^SEARCH records USING (COVERING )?INDEX tasks_/)]),
    );
    expect(plan.join("\n")).not.toMatch(/SCAN|TEMP B-TREE/);
  }
});

const FIRST_DAY = Date.UTC(2026, 0, 1);

/** Tasks of every kind that is counted apart: open on ten days or on none, filed or not, done, archived, deleted. */
const taskAt = (index: number): JournalRecord =>
  ({
    id: `task-${index}`,
    kind: "task",
    createdAt: AT,
    updatedAt: AT,
    deletedAt: index % 11 === 0 ? AT : null,
    revision: 1,
    hostId: "elsewhere",
    counter: index + 1,
    vectorClock: { elsewhere: index + 1 },
    body: {
      title: `Task ${index}`,
      status: index % 3 === 0 ? "DONE" : "OPEN",
      categoryId: index % 2 === 0 ? "k1" : null,
      dueDate: index % 5 === 0 ? null : new Date(FIRST_DAY + (index % 10) * 86_400_000).toISOString().slice(0, 10),
      labelIds: [],
      order: `a${index}`,
      archivedAt: index % 7 === 0 ? AT : null,
    },
  }) as unknown as JournalRecord;

const DAY = "2026-01-05";
const NAIVE = `SELECT
    sum(shelf = 'open') AS open, sum(shelf = 'open' AND ifnull(due_date <= '${DAY}', 0)) AS today,
    sum(shelf = 'open' AND ifnull(due_date > '${DAY}', 0)) AS upcoming,
    sum(shelf = 'open' AND category_id IS NULL) AS inbox, sum(shelf = 'done') AS done, sum(shelf = 'archived') AS archived
  FROM records WHERE shelf IS NOT NULL`;

test("counting reads a row for each day, however many tasks were imported, and finds as many as there are", async () => {
  const statements: string[] = [];
  const { db, store } = await openWithDriver((sql) => void statements.push(sql));
  must(await store.importRecords(Array.from({ length: 3_000 }, (_, index) => taskAt(index))));
  statements.length = 0;
  const counts = must(await store.answer({ kind: "counts", today: DAY as never }));
  expect(statements.filter((sql) => /\brecords\b/.test(sql))).toEqual([]);
  expect(counts).toEqual({ ...db.handle.prepare(NAIVE).get() });
  expect(Object.values(counts).every((count) => count > 0)).toBe(true);
  const kept = db.handle.prepare("SELECT count(*) AS rows FROM task_counts").get()?.["rows"];
  expect(kept).toBeLessThanOrEqual(2 * 11 + 2);
});

test("a journal from before tasks were counted is counted when it is opened", async () => {
  const dir = tempDir();
  const [path, before] = [join(dir, "db.sqlite"), join(dir, "migrations")];
  mkdirSync(before);
  cpSync(join(SHIPPED_MIGRATIONS, "journal", "001_initial.sql"), join(before, "001_initial.sql"));
  const old = must(await openMigrated({ path, synchronous: "FULL", migrationsDir: before, at: AT }));
  for (let index = 0; index < 200; index += 1) {
    const { id, body, deletedAt } = taskAt(index);
    old.run(
      `INSERT INTO records (id, kind, body, created_at, updated_at, deleted_at, revision, host_id, counter, vector_clock)
       VALUES (:id, 'task', :body, '${AT}', '${AT}', :deletedAt, 1, 'host-a', 1, '{}')`,
      { id, body: JSON.stringify(body), deletedAt },
    );
  }
  old.close();
  const migrationsDir = join(SHIPPED_MIGRATIONS, "journal");
  const db = must(await openMigrated({ path, synchronous: "FULL", migrationsDir, at: AT }));
  onTestFinished(() => db.close());
  expect(answerCounts(db, { today: DAY })).toEqual({ ...db.handle.prepare(NAIVE).get() });
});
