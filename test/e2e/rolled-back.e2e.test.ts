import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, databaseIn, type Home } from "./cli-process.ts";

/** Somebody, or a tool that copies files, puts an earlier `silas.db` back. */

type Check = { readonly check: string; readonly state: string; readonly message: string; readonly fix: string };
type Listed = { readonly runs: readonly { readonly run: { readonly status: string; readonly last_error: string } }[] };

let home: Home;
beforeEach(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterEach(() => home.remove());

const FILES = ["silas.db", "silas.db-wal"];
const data = (name: string): string => join(home.dir, "data", name);

/** The database as it lies there now, under a name. */
function copyAs(name: string): void {
  mkdirSync(join(home.dir, name));
  for (const file of FILES.filter((each) => existsSync(data(each))))
    copyFileSync(data(file), join(home.dir, name, file));
}

function putBack(name: string): void {
  for (const file of [...FILES, "silas.db-shm"]) rmSync(data(file), { force: true });
  for (const file of FILES.filter((each) => existsSync(join(home.dir, name, each)))) {
    copyFileSync(join(home.dir, name, file), data(file));
  }
}

async function proposePlan(): Promise<{ readonly request_id: string; readonly plan_hash: string }> {
  const file = join(home.dir, "plan.md");
  const head = "id: task-once\ntype: task\ntitle: Run once\nbudget: { max_attempts: 1, max_wall_time_seconds: 600 }";
  const steps = "steps:\n  - { name: write, run: touch page, artifacts: { page: page } }";
  writeFileSync(file, `---\n${head}\n${steps}\n---\n\n# What to do\n\nRun once.\n`);
  const made = ["plan", "propose", file, "--json"];
  return (await home.json<{ readonly request: { request_id: string; plan_hash: string } }>(made)).request;
}

const newest = async (): Promise<Check | undefined> =>
  (JSON.parse((await home.silas(["doctor", "--json"])).out) as { readonly checks: readonly Check[] }).checks.find(
    ({ check }) => check === "newest",
  );
const statuses = async (): Promise<readonly string[]> =>
  (await home.json<Listed>(["work", "list", "--json"])).runs.map(({ run }) => run.status);
const WITHIN = { timeout: 60_000 };
const events = (event: string): number => {
  const db = databaseIn(home.dir);
  const found = db.prepare("SELECT count(*) AS count FROM audit_entries WHERE event = ?").get(event);
  db.close();
  return Number(found?.["count"]);
};

async function runToItsEnd(): Promise<void> {
  const started = await home.start();
  await expect.poll(() => events("run_ended"), WITHIN).toBe(1);
  started.child.kill("SIGTERM");
  await started.ended;
}

describe("[APPR-16] an earlier database that was put back", () => {
  test("from after the approval: runs nothing a second time, asks once, and voids the approval when accepted", async () => {
    const { request_id: id, plan_hash: hash } = await proposePlan();
    expect(await home.silas(["approve", id, "--hash", hash])).toMatchObject({ code: 0 });
    copyAs("approved");
    await runToItsEnd();
    expect(await newest()).toMatchObject({ state: "ok" });

    putBack("approved");
    expect(await newest()).toMatchObject({ state: "fail", fix: expect.stringContaining("silas audit accept") });
    const held = await home.start();
    expect(held.output()).toContain("older than the one Silas last wrote");
    expect((await home.silas(["status"])).out).toContain("read-only");
    // What was recorded can be read, and nothing can be decided or said.
    expect(await home.silas(["approvals", "list"])).toMatchObject({ code: 0 });
    expect(await home.silas(["work", "list"])).toMatchObject({ code: 0 });
    for (const refused of [
      ["say", "hello"],
      ["tasks", "add", "one"],
      ["keys", "enrol", "Another"],
    ]) {
      const { code, err } = await home.silas(refused);
      expect([refused[0], code, err.includes("read-only")]).toEqual([refused[0], 1, true]);
    }
    expect(events("run_started")).toBe(0);

    expect(await home.silas(["audit", "accept"])).toMatchObject({ code: 3 });
    expect(await home.silas(["audit", "accept", "--yes"])).toMatchObject({ code: 0 });
    await expect.poll(statuses, WITHIN).toEqual(["blocked"]);
    const [found] = (await home.json<Listed>(["work", "list", "--json"])).runs;
    expect(found?.run.last_error).toContain("it is void since an older database was put back");
    expect(events("run_started")).toBe(0);
    expect(events("approvals_voided")).toBe(1);
    expect((await home.silas(["activity"])).out).toContain("every unused approval is void");
    held.child.kill("SIGTERM");
    await held.ended;
    expect(await newest()).toMatchObject({ state: "ok" });
    expect((await home.silas(["audit", "verify", "--full"])).out).toContain("The chain holds");
    // The owner goes on with it: the same plan is approved anew, and runs.
    const again = await proposePlan();
    expect(await home.silas(["approve", again.request_id, "--hash", again.plan_hash])).toMatchObject({ code: 0 });
    await home.start();
    await expect.poll(() => events("run_ended"), WITHIN).toBe(2);
    expect(events("run_started")).toBe(1);
  });

  test("from before the approval: is read-only without an instance too, and the request waits after accepting", async () => {
    const { request_id: id, plan_hash: hash } = await proposePlan();
    copyAs("asked");
    await home.silas(["approve", id, "--hash", hash]);
    await runToItsEnd();
    putBack("asked");
    const refused = await home.silas(["approve", id, "--hash", hash]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("read-only");
    expect((await home.silas(["inbox"])).code).toBe(0);
    expect(await home.silas(["audit", "accept", "--yes"])).toMatchObject({ code: 0 });
    expect((await home.silas(["inbox"])).out).toContain("Run once");
    expect(events("run_started")).toBe(0);
  });
});

describe("the record beside the database", () => {
  test("when it is missing, Silas starts read-only and can be accepted; nobody is locked out", async () => {
    const first = await home.start();
    first.child.kill("SIGTERM");
    await first.ended;
    rmSync(data("audit-heads.jsonl"));
    expect(await newest()).toMatchObject({ state: "fail", message: expect.stringContaining("missing") });
    const held = await home.start();
    expect(held.output()).toContain("missing or cut off");
    expect(await home.silas(["audit", "accept", "--yes"])).toMatchObject({ code: 0 });
    expect(await home.silas(["tasks", "add", "one"])).toMatchObject({ code: 0 });
    held.child.kill("SIGTERM");
    await held.ended;
    expect(await newest()).toMatchObject({ state: "ok" });
  });

  test("a restore through Silas is no older database: it starts, and unused approvals are void", async () => {
    const { request_id: id, plan_hash: hash } = await proposePlan();
    await home.silas(["approve", id, "--hash", hash]);
    await home.silas(["backup", "--to", join(home.dir, "copy")]);
    await runToItsEnd();
    expect(await home.silas(["restore", join(home.dir, "copy"), "--yes"])).toMatchObject({ code: 0 });
    expect(await newest()).toMatchObject({ state: "ok" });
    const started = await home.start();
    expect(started.output()).not.toContain("Held");
    await expect.poll(statuses, WITHIN).toEqual(["blocked"]);
    expect(events("run_started")).toBe(0);
  });
});
