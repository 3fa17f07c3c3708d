import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, ROOT, type Home, type Ran } from "./cli-process.ts";
import { sitAt } from "./typing-person.ts";

const EXAMPLE = join(ROOT, "docs", "examples", "make-a-table.md");
const POLL = { timeout: 60_000, interval: 500 };

type Run = {
  readonly run_id: string;
  readonly status: string;
  readonly is_verified: boolean;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly results: readonly { readonly name: string; readonly passed: boolean; readonly reason: string }[];
};
type Entry = {
  readonly step_name: string;
  readonly state: string;
  readonly error: string;
  readonly return_value: string;
};
type Detail = { readonly run: Run; readonly ledger: readonly Entry[] };
type Request = { readonly request_id: string; readonly plan_hash: string };

let home: Home;
beforeEach(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterEach(() => home.remove());

const planFile = (lines: string): string => {
  const file = join(home.dir, "plan.md");
  const head = "id: task-run\ntype: task\ntitle: Try it\nbudget: { max_attempts: 2, max_wall_time_seconds: 60 }";
  writeFileSync(file, `---\n${head}\n${lines.trim()}\n---\n\n# What to do\n\nTry it.\n`);
  return file;
};
const propose = async (file: string): Promise<Request> =>
  (await home.json<{ readonly request: Request }>(["plan", "propose", file, "--json"])).request;
const runPlan = async (file: string): Promise<Ran> =>
  home.silas(["run", file, "--hash", (await propose(file)).plan_hash, "--json"]);
const detailOf = ({ out }: Ran): Detail => JSON.parse(out) as Detail;
const runs = async (): Promise<readonly Run[]> =>
  (await home.json<{ readonly runs: readonly { readonly run: Run }[] }>(["work", "list", "--json"])).runs.map(
    ({ run }) => run,
  );
const show = (id: string): Promise<Detail> => home.json<Detail>(["work", "show", id, "--json"]);

function query(sql: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(join(home.dir, "data", "silas.db"));
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
const events = (): readonly unknown[] =>
  query(
    "SELECT event FROM audit_entries WHERE event LIKE 'run_%' OR event LIKE 'execution_%' OR event LIKE 'step_%'",
  ).map((row) => row["event"]);

/** Whether a program with this mark in its words still runs anywhere. */
const isAlive = (mark: string): boolean =>
  readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });

describe("a plan with steps", () => {
  test("[WORK-28] [EXEC-12] the example runs in the sandbox, its file is made, and its checks pass", async () => {
    const ran = await runPlan(EXAMPLE);
    expect(ran.code).toBe(0);
    const { run, ledger } = detailOf(ran);
    expect(run).toMatchObject({ status: "done", is_verified: true, attempts: 1 });
    expect(run.results.map(({ passed }) => passed)).toEqual([true, true, true]);
    expect(ledger.map(({ state }) => state)).toEqual(["ended", "ended"]);
    expect(ledger[1]?.return_value).toBe("number,square\n1,1\n2,4\n");
    expect(events()).toEqual(["run_started", "run_ended"]);
    // A workspace does not outlive its run.
    expect(readdirSync(join(home.dir, "data", "sandbox", "work"))).toEqual([]);
    expect((await home.silas(["activity"])).out).toContain("is done, 3 of 3 checks passed");
    expect((await home.silas(["audit", "verify"])).code).toBe(0);
  });

  test("without somebody to decide it asks for a decision, and nothing runs", async () => {
    const ran = await home.silas(["run", EXAMPLE]);
    expect(ran.code).toBe(3);
    expect(await runs()).toEqual([]);
  });

  test("[WORK-31] [INV-03] without checks it is done, and says everywhere that nothing checked it", async () => {
    const file = planFile("steps:\n  - { name: say, run: echo hello }");
    const { plan_hash: hash } = await propose(file);
    const ran = await home.silas(["run", file, "--hash", hash]);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toContain("Done, not checked");
    expect(ran.err).toContain("Step 1: say, ok");
    expect((await runs())[0]).toMatchObject({ status: "done", is_verified: false });
    expect((await home.silas(["activity"])).out).toContain("not checked by anything");
  });

  test("[WORK-29] a check that fails once is met by another attempt in a fresh workspace", async () => {
    // Only a name that changes from attempt to attempt can tell the second from the first.
    const shared = mkdtempSync("/var/tmp/silas-run-");
    try {
      const file = planFile(`files: { write: [${shared}] }
steps:
  - name: count
    tool: shell_exec
    args: { argv: [sh, -c, "echo x >> ${shared}/tries; test ! -e left; touch left"] }
verify:
  - { name: twice, run: wc -l ${shared}/tries, expect: { regex: "^2 " } }`);
      const { request_id: id, plan_hash: hash } = await propose(file);
      const turns = [
        { when: /Approve this plan/, type: "y" },
        { when: /first 8 characters/, type: `${hash.slice(0, 8)}\r` },
      ];
      const sat = await sitAt(home, { args: ["run", file], turns });
      expect(sat.screen).toContain("Done, checked 1 of 1");
      expect(sat.code).toBe(0);
      const { run, ledger } = await show(id);
      expect(run).toMatchObject({ status: "done", attempts: 2 });
      expect(ledger).toHaveLength(2);
    } finally {
      rmSync(shared, { recursive: true, force: true });
    }
  });

  test("[VER-05] [VER-06] a check cannot change what it looks at, and finds nothing of Silas or its owner in its environment", async () => {
    const file = planFile(`steps:
  - { name: make, run: touch page }
verify:
  - { name: read only, run: touch page another, expect: { exit_code: 1 } }
  - { name: environment, run: env, expect: { regex: "^(?:(?:PATH=/usr/local/bin:/usr/bin:/bin|HOME=/workspace|PWD=/results)\\\\n)+$" } }`);
    const { run } = detailOf(await runPlan(file));
    expect(run.results).toMatchObject([{ passed: true }, { passed: true }]);
  });

  test("[VER-13] what prints ten megabytes is cut, and a check that would have to see all of it does not pass", async () => {
    const file = planFile(`steps:
  - { name: loud, run: "head -c 10485760 /dev/zero" }
verify:
  - { name: loud, run: seq 1000000, expect: { equals: "1" } }`);
    const { run, ledger } = detailOf(await runPlan(file));
    expect(ledger[0]).toMatchObject({ state: "ended", error: null });
    expect(ledger[0]?.return_value.length).toBeLessThanOrEqual(10_000);
    expect(run).toMatchObject({
      status: "stuck",
      results: [{ passed: false, reason: expect.stringContaining("was cut") }],
    });
  });

  test("[VER-08] a check that does not end is ended, and has failed", async () => {
    const file = planFile(`steps:
  - { name: make, run: "true" }
verify:
  - { name: hangs, run: sleep 600, expect: { exit_code: 0 }, timeout: 1 }`);
    const ran = await runPlan(file);
    expect(ran.code).toBe(1);
    expect(detailOf(ran).run).toMatchObject({ status: "stuck", results: [{ reason: "Timeout after 1s" }] });
  });

  test.each([
    ["loops for ever", `run: sh -c "while true; do echo; sleep 0.05; done", timeout: 1`, /Timeout after 1s/],
    [
      "forks for ever",
      `run: sh -c "while true; do sleep 100 & done", timeout: 20`,
      /limit of processes|Cannot fork|code 2|fork/,
    ],
    ["writes outside", `run: touch /usr/silas-was-here`, /Read-only file system/],
    [
      "reads the environment of its parent",
      `run: sh -c "cat /proc/1/environ | tr '\\\\0' '\\\\n' | grep SILAS_HOME"`,
      /code 1/,
    ],
    ["leaves no artifact", `run: "true", artifacts: { page: page.html }`, /Left no file for page/],
  ])("a step that %s ends with a clear reason, and Silas goes on", async (_name, step, reason) => {
    const ran = await runPlan(planFile(`steps:\n  - { name: bad, ${step} }`));
    expect(ran.code).toBe(1);
    const { run, ledger } = detailOf(ran);
    expect(run).toMatchObject({ status: "stuck", attempts: 2, is_verified: false });
    expect(run.last_error).toMatch(reason);
    expect(ledger.every(({ state }) => state === "ended")).toBe(true);
    expect(existsSync("/usr/silas-was-here")).toBe(false);
  });
});

describe("a running Silas", () => {
  const SLOW = "steps:\n  - { name: wait, run: sleep 31.4159, timeout: 60 }";

  async function approveThere(file: string): Promise<string> {
    const { request_id: id, plan_hash: hash } = await propose(file);
    expect(await home.silas(["approve", id, "--hash", hash])).toMatchObject({ code: 0 });
    return id;
  }

  test("what is approved begins by itself, and can be watched from another terminal", async () => {
    await home.start();
    const id = await approveThere(EXAMPLE);
    await expect.poll(async () => (await show(id)).run.status, POLL).toBe("done");
    expect((await home.silas(["work", "show", id])).out).toContain("the last square is right");
    const watched = await runPlan(planFile("steps:\n  - { name: say, run: echo hello }"));
    expect(detailOf(watched).run).toMatchObject({ status: "done" });
    expect((await home.silas(["work", "cancel", id])).err).toContain("is over (done)");
  });

  test("a run is cancelled at once, with every process of it", async () => {
    await home.start();
    const id = await approveThere(planFile(SLOW));
    await expect.poll(() => isAlive("31.4159"), POLL).toBe(true);
    expect(await home.silas(["work", "cancel", id])).toMatchObject({ code: 0 });
    expect(isAlive("31.4159")).toBe(false);
    expect((await show(id)).run).toMatchObject({ status: "cancelled" });
    expect(events()).toEqual(["run_started", "run_ended"]);
  });

  test("what was approved while no Silas ran begins with the next start", async () => {
    const id = await approveThere(EXAMPLE);
    expect((await runs())[0]).toMatchObject({ status: "pending" });
    await home.start();
    await expect.poll(async () => (await show(id)).run.status, POLL).toBe("done");
  });

  test("[WSTORE-06] killed in the middle of a step that stays inside, it repeats the attempt at the next start", async () => {
    const first = await home.start();
    const id = await approveThere(planFile("steps:\n  - { name: wait, run: sleep 2.71828, timeout: 60 }"));
    await expect.poll(() => isAlive("2.71828"), POLL).toBe(true);
    first.child.kill("SIGKILL");
    await first.ended;
    await expect.poll(() => isAlive("2.71828"), POLL).toBe(false);
    await home.start();
    await expect.poll(async () => (await show(id)).run.status, POLL).toBe("done");
    const { run, ledger } = await show(id);
    expect(run.attempts).toBe(1);
    expect(ledger.map(({ state }) => state)).toEqual(["ended", "ended"]);
    expect(query("SELECT count(*) AS n FROM approval_uses")).toEqual([{ n: 1 }]);
  });

  test("[WSTORE-06] killed in the middle of a check, it checks again at the next start", async () => {
    const first = await home.start();
    const checks = "verify:\n  - { name: slow, run: sleep 1.61803, expect: { exit_code: 0 } }";
    const id = await approveThere(planFile(`steps:\n  - { name: make, run: touch page }\n${checks}`));
    await expect.poll(() => isAlive("1.61803"), POLL).toBe(true);
    first.child.kill("SIGKILL");
    await first.ended;
    await home.start();
    await expect.poll(async () => (await show(id)).run, POLL).toMatchObject({ status: "done", is_verified: true });
  });

  test("[WSTORE-06] killed in the middle of a step that reaches outside, it is in doubt, in sight, and not repeated", async () => {
    const shared = mkdtempSync("/var/tmp/silas-run-");
    try {
      const file = planFile(`files: { write: [${shared}] }
steps:
  - name: append
    tool: shell_exec
    args: { argv: [sh, -c, "echo x >> ${shared}/effect; sleep 1.41421"] }
verify:
  - { name: it is there, run: cat ${shared}/effect, expect: { equals: x } }`);
      const first = await home.start();
      const { request_id: id, plan_hash: hash } = await propose(file);
      const turns = [
        { when: /Approve this plan/, type: "y" },
        { when: /first 8 characters/, type: `${hash.slice(0, 8)}\r` },
      ];
      expect(await sitAt(home, { args: ["approve", id], turns })).toMatchObject({ code: 0 });
      await expect.poll(() => existsSync(join(shared, "effect")), POLL).toBe(true);
      first.child.kill("SIGKILL");
      await first.ended;
      await home.start();
      await expect.poll(async () => (await show(id)).run.status, POLL).toBe("in_doubt");
      expect(readFileSync(join(shared, "effect"), "utf8")).toBe("x\n");
      expect((await show(id)).ledger).toMatchObject([{ state: "in_doubt" }]);
      expect((await home.silas(["work", "list"])).out).toContain("In doubt");
      expect((await home.silas(["activity"])).out).toContain("is in doubt");
      expect(events()).toEqual(["run_started", "step_in_doubt", "run_ended"]);
      await settleIt(id);
      expect(readFileSync(join(shared, "effect"), "utf8")).toBe("x\n");
    } finally {
      rmSync(shared, { recursive: true, force: true });
    }
  });
});

/** The owner looked, and says that it happened: the check decides, the receipt tells all of it. */
async function settleIt(id: string): Promise<void> {
  const asked = await home.silas(["work", "settle", id]);
  expect(asked.code).not.toBe(0);
  expect(asked.err).toContain("--happened");
  const settled = await home.silas(["work", "settle", id, "--happened"]);
  expect(settled.out).toContain("It happened, checked 1 of 1");
  expect((await home.silas(["work", "settle", id, "--leave"])).err).toContain("was settled before");
  expect((await home.silas(["work", "show", id])).out).toContain("Was in doubt. It happened");
  expect((await home.silas(["activity"])).out).toContain("You settled the doubt about");
  const { out: receipt } = await home.silas(["approvals", "export", id]);
  expect(receipt).toContain("it is there");
  const verified = await home.silas(["approvals", "verify", "-"], { input: receipt });
  expect(verified).toMatchObject({ code: 0 });
  expect(verified.out).toMatch(/^execution +ok$/m);
  const edited = receipt.replaceAll('\\"choice\\":\\"happened\\"', '\\"choice\\":\\"leave\\"');
  expect(edited).not.toBe(receipt);
  expect((await home.silas(["approvals", "verify", "-"], { input: edited })).out).toMatch(/^execution +failed/m);
}
