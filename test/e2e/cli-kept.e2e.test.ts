/** What is kept of runs: results that are old go, and one damaged row keeps nobody from the others. */
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, databaseIn, ROOT, type Home } from "./cli-process.ts";

const EXAMPLE = join(ROOT, "docs", "examples", "make-a-table.md");
const HUNDRED_DAYS_S = 100 * 86_400;

let home: Home;
beforeEach(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterEach(() => home.remove());

type Run = { readonly run: { readonly run_id: string; readonly status: string } };

async function runExample(): Promise<string> {
  const { request } = await home.json<{ readonly request: { readonly plan_hash: string } }>([
    "plan",
    "propose",
    EXAMPLE,
    "--json",
  ]);
  const { run } = await home.json<Run>(["run", EXAMPLE, "--hash", request.plan_hash, "--json"]);
  expect(run.status).toBe("done");
  return run.run_id;
}

test("results older than they are kept for go with the next start, and a damaged run is named and keeps no other from being seen", async () => {
  const first = await runExample();
  const kept = join(home.dir, "data", "artifacts");
  const files = (): readonly string[] => readdirSync(kept, { recursive: true, encoding: "utf8" });
  const old = files().find((name) => /[0-9a-f]{64}$/.test(name));
  const agoS = Date.now() / 1000 - HUNDRED_DAYS_S;
  utimesSync(join(kept, old ?? ""), agoS, agoS);
  await home.start();
  await expect.poll(files).not.toContain(old);
  const shown = await home.silas(["work", "show", first]);
  expect(shown.out).toContain(`sha256 ${old?.slice(-64)}`);
  expect((await home.silas(["stop"])).code).toBe(0);
  const second = await runExample();
  const database = databaseIn(home.dir);
  // A disk that fails asks no trigger.
  database.exec("DROP TRIGGER work_runs_stay");
  database.prepare("UPDATE work_runs SET record = '{}' WHERE run_id = ?").run(first);
  database.close();
  const { runs } = await home.json<{ readonly runs: readonly Run[] }>(["work", "list", "--json"]);
  expect(runs.map(({ run }) => run.run_id)).toEqual([second]);
  expect((await home.silas(["doctor"])).out).toContain(`${first} of work_runs`);
});
