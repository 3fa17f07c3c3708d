import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createHome, type Home, type Ran, type Started } from "./cli-process.ts";

const POLL = { timeout: 30_000, interval: 500 };

type Run = {
  readonly run_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_error: string | null;
};
type Detail = {
  readonly run: Run;
  readonly ledger: readonly { readonly step_name: string; readonly return_value: string }[];
};
type Listed = { readonly runs: readonly { readonly run: Run }[]; readonly stopped: { readonly by: string } | null };

let home: Home;
let server: Started;
beforeAll(async () => {
  home = createHome();
  await home.silas(["init"]);
  server = await home.start();
});
afterAll(() => home.remove());

/** Proposes and approves a plan; a running Silas begins it by itself. */
async function approve(name: string, lines: string): Promise<string> {
  const file = join(home.dir, `${name}.md`);
  const head = `id: task-${name}\ntype: task\ntitle: Try ${name}\nbudget: { max_attempts: 1, max_wall_time_seconds: 60 }`;
  writeFileSync(file, `---\n${head}\n${lines.trim()}\n---\n\n# What to do\n\nTry it.\n`);
  const { request } = await home.json<{
    readonly request: { readonly request_id: string; readonly plan_hash: string };
  }>(["plan", "propose", file, "--json"]);
  expect(await silas("approve", request.request_id, "--hash", request.plan_hash)).toMatchObject({ code: 0 });
  return request.request_id;
}
const silas = (...args: readonly string[]): Promise<Ran> => home.silas(args);
const show = (id: string): Promise<Detail> => home.json<Detail>(["work", "show", id, "--json"]);

/** Read beside the running Silas, since a command for every look would cost more than what is looked at. */
function statusOf(name: string): string {
  const database = new DatabaseSync(join(home.dir, "data", "silas.db"), { readOnly: true });
  try {
    const row = database.prepare("SELECT record FROM work_runs WHERE work_item_id = ?").get(`task-${name}`);
    return row === undefined ? "pending" : (JSON.parse(String(row["record"])) as Run).status;
  } finally {
    database.close();
  }
}

/** Whether a program with this mark in its words still runs anywhere. */
const isAlive = (mark: string): boolean =>
  readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });

test("a run is paused between two steps, stays paused over a restart, and goes on", async () => {
  // The first step ends when the test says so, however slow the machine is.
  const place = mkdtempSync("/var/tmp/silas-steer-");
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const first = `{ name: first, run: 'sh -c "until test -e ${place}/go; do sleep 0.05; done"' }`;
  const steps = `files: { read: [${place}] }\nsteps:\n  - ${first}\n  - { name: second, run: echo two }`;
  const id = await approve("pause", steps);
  await expect.poll(() => isAlive(`${place}/go`), POLL).toBe(true);
  expect((await silas("work", "pause", id)).out).toContain("pauses after this step");
  writeFileSync(join(place, "go"), "");
  await expect.poll(() => statusOf("pause"), POLL).toBe("paused");
  expect((await show(id)).ledger).toHaveLength(1);
  expect((await silas("work", "list")).out).toContain("Paused");
  server.child.kill("SIGTERM");
  await server.ended;
  server = await home.start();
  expect(statusOf("pause")).toBe("paused");
  expect((await silas("work", "resume", id)).code).toBe(0);
  await expect.poll(() => statusOf("pause"), POLL).toBe("done");
  expect((await silas("work", "resume", id)).err).toContain("is over (done)");
});

test("stop-all ends every program at once and lets nothing begin, until start-again", async () => {
  const running = await approve("runs", "steps:\n  - { name: long, run: sleep 47.11, timeout: 60 }");
  await expect.poll(() => isAlive("47.11"), POLL).toBe(true);
  expect((await silas("stop-all")).out).toContain("1 run was ended");
  expect(isAlive("47.11")).toBe(false);
  expect((await show(running)).run).toMatchObject({ status: "cancelled", last_error: "Stopped by you" });
  await approve("waits", "steps:\n  - { name: say, run: echo hello }");
  const listed = await home.json<Listed>(["work", "list", "--json"]);
  expect(listed.stopped).toMatchObject({ by: "terminal" });
  expect((await silas("status")).out).toContain("Everything was stopped in a terminal");
  expect((await silas("doctor")).out).toMatch(/warn +work +Everything was stopped/);
  const refused = await silas("run", join(home.dir, "waits.md"));
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.err).toContain("silas start-again");
  server.child.kill("SIGKILL");
  await server.ended;
  server = await home.start();
  expect(statusOf("waits")).toBe("pending");
  expect((await silas("start-again")).out).toContain("may begin again");
  await expect.poll(() => statusOf("waits"), POLL).toBe("done");
  const told = (await silas("activity")).out;
  for (const said of ["Paused", "go on", "Stopped everything", "Started again"]) expect(told).toContain(said);
});

test("[SCRIPT-09] a script gate of a plan looks at what a step printed, and what it holds blocks the run", async () => {
  const verify = join(home.dir, "data", "verify");
  mkdirSync(verify, { recursive: true });
  writeFileSync(join(verify, "small.sh"), 'test "$(printf %s "$SILAS_RESPONSE" | wc -c)" -lt 10 && echo fine');
  const gate =
    "gates:\n  - { name: small, on: after_step, after_step: 0, provider: script, type: custom_check, check_command: sh small.sh, check_expect: { contains: fine } }";
  const steps = (text: string): string => `steps:\n  - { name: say, run: echo ${text} }\n${gate}`;
  await approve("fine", steps("short"));
  await expect.poll(() => statusOf("fine"), POLL).toBe("done");
  const held = await approve("held", steps("much-too-long-for-it"));
  await expect.poll(() => statusOf("held"), POLL).toBe("blocked");
  expect((await show(held)).run.last_error).toContain("After step say: Gate small");
  expect(existsSync(join(verify, "small.sh"))).toBe(true);
});
