import { expect, test } from "vitest";
import { TASK_VIEWS, type JournalQuery, type RecordId } from "#model";
import { must } from "../store.fixture.ts";
import { openWithDriver } from "./journal-store.fixture.ts";

const today = "2026-11-15" as never;
const categoryId = "k1" as RecordId;
const labelId = "l1" as RecordId;
const LISTS: readonly JournalQuery[] = [
  ...TASK_VIEWS.flatMap((view): JournalQuery[] => [
    { kind: "tasks", view, today },
    { kind: "tasks", view, today, categoryId },
    { kind: "tasks", view, today, labelId },
  ]),
  { kind: "counts", today },
];

test("no list of tasks and no count walks all records or sorts what it found", async () => {
  const statements = new Set<string>();
  const { db, store } = await openWithDriver((sql) => void statements.add(sql));
  statements.clear();
  for (const query of LISTS) {
    must(await store.answer(query));
  }
  // Statements beside the lists look up the parts of at most one page.
  const lists = [...statements].filter((sql) => sql.includes("shelf IS NOT NULL"));
  expect(lists.length).toBeGreaterThan(LISTS.length);
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
