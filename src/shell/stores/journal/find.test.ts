import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openJournal } from "../open-stores.ts";
import { countingRandom, fixedClock, must, tempDir } from "../store.fixture.ts";

test("both halves of a look-up by a part of an id walk an index and no table", async () => {
  const dataDir = join(tempDir(), "data");
  const asked: string[] = [];
  const options = {
    dataDir,
    clock: fixedClock,
    random: countingRandom(),
    onStatement: (sql: string) => asked.push(sql),
  };
  const store = must(await openJournal(options));
  must(await store.answer({ kind: "find", idPart: "12ab34", kinds: ["task"] }));
  await store.close();
  const sql = asked.filter((statement) => statement.includes("id_end"));
  expect(sql).not.toEqual([]);
  const database = new DatabaseSync(join(dataDir, "db.sqlite"), { readOnly: true });
  for (const statement of sql.filter((one) => one.startsWith("SELECT"))) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
    const steps = plan.map((row) => String(row["detail"])).join("\n");
    expect(steps).toContain("records_by_end (id_end>? AND id_end<?)");
    expect(steps).toContain("(id>? AND id<?)");
    expect(steps).not.toMatch(/SCAN records/);
  }
  database.close();
});
