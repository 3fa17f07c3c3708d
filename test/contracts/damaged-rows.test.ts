import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { inspectStores } from "#stores";
import { requestFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { changeOf, openFile, runNamed } from "./work-fixture.ts";

test("a damaged run or request is named, and keeps nobody from the others", async () => {
  const { work, approvals, grant, dataDir } = await openFile();
  for (const name of ["a", "b"]) {
    await grant(name);
    must(await work.begin(changeOf(runNamed(name))));
    must(await approvals.propose(requestFor(`later-${name}`)));
  }
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  database.exec("UPDATE work_runs SET record = '{\"half' WHERE run_id = 'run-a'");
  database.exec("UPDATE pending_decisions SET card = '{}' WHERE request_id = 'request-later-a'");
  database.close();
  for (const runs of [await work.list({ limit: 9 }), await work.list({ limit: 9, status: "running" })]) {
    expect(must(runs).map(({ runId }) => runId)).toEqual(["run-b"]);
  }
  expect(must(await work.unfinished()).map(({ runId }) => runId)).toEqual(["run-b"]);
  expect(must(await approvals.list(["pending"])).map(({ requestId }) => requestId)).toEqual(["request-later-b"]);
  // Whoever asks for that very one is told, and nothing is run as if it were not there.
  expect(await work.find("run-a")).toMatchObject({ error: { code: "store_corrupt", retryable: false } });
  expect(await approvals.find("request-later-a")).toMatchObject({ error: { code: "store_corrupt" } });
  expect(must(await work.waiting())).toEqual([]);
  const found = inspectStores({ dataDir, after: at(9) }).find(({ store }) => store === "runtime");
  expect(found?.damagedRows).toEqual([
    { table: "pending_decisions", id: "request-later-a" },
    { table: "work_runs", id: "run-a" },
  ]);
});
