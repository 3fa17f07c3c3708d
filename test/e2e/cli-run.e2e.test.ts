import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, databaseIn, isAlive, ROOT, type Home, type Ran } from "./cli-process.ts";
import { holdProgram } from "./held-program.ts";
import { sitAt } from "./typing-person.ts";

const EXAMPLE = join(ROOT, "docs", "examples", "make-a-table.md");
const POLL = { interval: 500 };

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
  const head = "id: task-run\ntype: task\ntitle: Try it\nbudget: { max_attempts: 2, max_wall_time_seconds: 600 }";
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
  const database = databaseIn(home.dir);
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

async function inPlace(work: (place: string) => Promise<void>): Promise<void> {
  const place = mkdtempSync("/var/tmp/silas-run-");
  try {
    await work(place);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

describe("a plan with steps", () => {
  test("[INV-03] work that only checks which cannot fail looked at ends unverified, and the plan is said to have none other", async () => {
    const file = planFile(`
steps:
  - { name: write, run: "touch page", artifacts: { page: page } }
verify:
  - { name: fine, run: "true", expect: { exit_code: 0 } }
`);
    expect((await home.silas(["plan", "check", file])).out).toContain("comes out the same whatever is done");
    const ran = await runPlan(file);
    expect(ran.code).toBe(0);
    const { run } = detailOf(ran);
    expect(run).toMatchObject({ status: "done", is_verified: false, results: [{ name: "fine", passed: true }] });
    expect((await home.silas(["work", "show", run.run_id])).out).toContain("its checks say the same whatever is done");
    expect((await home.silas(["doctor"])).out).toMatch(/results.*1 file of runs.*90 days/);
  });

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

  test("[FLOW-11] a plan goes on with what an earlier run made, and not with one that is not done", async () => {
    const made = detailOf(
      await runPlan(
        planFile(`steps:
  - { name: make, tool: file_write, args: { path: page.txt, content: first }, artifacts: { page: page.txt } }`),
      ),
    );
    expect(made.run.status).toBe("done");
    const next = join(home.dir, "next.md");
    const steps = "steps:\n  - { name: read, run: cat inputs/page }";
    writeFileSync(next, `---\nid: task-next\ntype: task\ntitle: Go on\n${steps}\n---\n\n# What to do\n\nRead it.\n`);
    const goOn = ["--continues", made.run.run_id];
    const { request } = await home.json<{ readonly request: Request }>(["plan", "propose", next, ...goOn, "--json"]);
    const ran = await home.silas(["run", next, ...goOn, "--hash", request.plan_hash, "--json"]);
    expect(detailOf(ran).ledger).toMatchObject([{ state: "ended", return_value: "first" }]);
    expect((await home.silas(["plan", "propose", next, "--continues", "nobody"])).err).toContain("There is no run");
    const failed = detailOf(await runPlan(planFile("steps:\n  - { name: fail, run: /bin/false }")));
    const refused = await home.silas(["plan", "propose", next, "--continues", failed.run.run_id]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("is not done")]);
  });

  test("[WORK-29] a check that fails once is met by another attempt in a fresh workspace", () =>
    // Only a name that changes from attempt to attempt can tell the second from the first.
    inPlace(async (shared) => {
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
    }));

  test("[WORK-24] whoever watches is asked there what a gate asks: shown is the very call, and signed it is done once", async () => {
    const values = "type: string_match, allowed_values: [free], approval_values: [ask]";
    const file = planFile(`gates:
  - { name: cap, on: on_tool_call, extract: content, ${values} }
steps:
  - { name: pay, tool: file_write, args: { path: paid.txt, content: ask } }`);
    const word = { when: /Type approve/, type: "approve\r" };
    const turns = [{ when: /Approve this plan\?/, type: "y" }, word, { when: /Approve this\?/, type: "y" }, word];
    const { code, screen } = await sitAt(home, { args: ["run", file], turns });
    const asked = screen.slice(screen.indexOf("Let step 1 run: pay"));
    for (const shown of ["Gate cap asks you", "/tool: file_write", "/args/content: ask", "/args/path: paid.txt"]) {
      expect(asked).toContain(shown);
    }
    expect(asked).toContain("Done, not checked");
    expect(code).toBe(0);
    expect(query("SELECT count(*) AS n FROM approval_uses")).toEqual([{ n: 2 }]);
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
      `run: sh -c "while true; do sleep 100 & done", timeout: 200`,
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
    const { command, place, mark, hasBegun } = holdProgram();
    const id = await approveThere(
      planFile(`files: { read: [${place}] }\nsteps:\n  - { name: wait, run: '${command}' }`),
    );
    await expect.poll(() => hasBegun(home), POLL).toBe(true);
    expect(isAlive(mark)).toBe(true);
    expect(await home.silas(["work", "cancel", id])).toMatchObject({ code: 0 });
    expect(isAlive(mark)).toBe(false);
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
    const { command, place, mark, hasBegun, letGo } = holdProgram();
    const id = await approveThere(
      planFile(`files: { read: [${place}] }\nsteps:\n  - { name: wait, run: '${command}' }`),
    );
    await expect.poll(() => hasBegun(home), POLL).toBe(true);
    first.child.kill("SIGKILL");
    await first.ended;
    await expect.poll(() => isAlive(mark), POLL).toBe(false);
    letGo();
    await home.start();
    await expect.poll(async () => (await show(id)).run.status, POLL).toBe("done");
    const { run, ledger } = await show(id);
    expect(run.attempts).toBe(1);
    expect(ledger.map(({ state }) => state)).toEqual(["ended", "ended"]);
    expect(query("SELECT count(*) AS n FROM approval_uses")).toEqual([{ n: 1 }]);
  });

  test("[WSTORE-06] killed in the middle of a check, it checks again at the next start", async () => {
    const first = await home.start();
    const { command, place, hasBegun, letGo } = holdProgram();
    const id = await approveThere(
      planFile(`files: { read: [${place}] }
steps:
  - { name: make, run: touch page }
verify:
  - { name: slow, run: '${command}', expect: { exit_code: 0 }, timeout: 600 }`),
    );
    await expect.poll(() => hasBegun(home), POLL).toBe(true);
    first.child.kill("SIGKILL");
    await first.ended;
    letGo();
    await home.start();
    await expect.poll(async () => (await show(id)).run, POLL).toMatchObject({ status: "done", is_verified: true });
  });

  test("[WSTORE-06] killed in the middle of a step that reaches outside, it is in doubt, in sight, and not repeated", () =>
    inPlace(async (shared) => {
      const file = planFile(`files: { write: [${shared}] }
steps:
  - name: append
    tool: shell_exec
    args: { argv: [sh, -c, "echo x >> ${shared}/effect; until test -e ${shared}/go; do sleep 0.05; done"] }
verify:
  - { name: it is there, run: cat ${shared}/effect, expect: { equals: x } }`);
      const first = await home.start();
      const { request_id: id, plan_hash: hash } = await propose(file);
      const turns = [
        { when: /Approve this plan/, type: "y" },
        { when: /first 8 characters/, type: `${hash.slice(0, 8)}\r` },
      ];
      expect(await sitAt(home, { args: ["approve", id], turns })).toMatchObject({ code: 0 });
      // The file is there before its line is.
      await expect.poll(() => readFileSync(join(shared, "effect"), "utf8"), POLL).toBe("x\n");
      first.child.kill("SIGKILL");
      await first.ended;
      await home.start();
      await expect.poll(async () => (await show(id)).run.status, POLL).toBe("in_doubt");
      expect(readFileSync(join(shared, "effect"), "utf8")).toBe("x\n");
      expect((await show(id)).ledger).toMatchObject([{ state: "in_doubt" }]);
      expect((await home.silas(["work", "list"])).out).toContain("In doubt");
      expect((await home.silas(["inbox"])).out).toMatch(
        /^In doubt: .* `silas work settle \S+` says what to choose\.$/m,
      );
      expect((await home.silas(["activity"])).out).toContain("is in doubt");
      expect(events()).toEqual(["run_started", "step_in_doubt", "run_ended"]);
      await settleIt(id);
      expect(readFileSync(join(shared, "effect"), "utf8")).toBe("x\n");
    }));
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
