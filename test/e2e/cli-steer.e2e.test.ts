import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, databaseIn, isAlive, type Home, type Ran, type Started } from "./cli-process.ts";
import { holdProgram } from "./held-program.ts";

const POLL = { interval: 500 };

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

type Asked = {
  readonly request_id: string;
  readonly plan_hash: string;
  readonly card: { readonly intent: string };
};

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
  const head = `id: task-${name}\ntype: task\ntitle: Try ${name}\nbudget: { max_attempts: 1, max_wall_time_seconds: 600 }`;
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
  const database = databaseIn(home.dir, { readOnly: true });
  try {
    const row = database.prepare("SELECT record FROM work_runs WHERE work_item_id = ?").get(`task-${name}`);
    return row === undefined ? "pending" : (JSON.parse(String(row["record"])) as Run).status;
  } finally {
    database.close();
  }
}

test("a run is paused between two steps, stays paused over a restart, and goes on", async () => {
  const { command, place, hasBegun, letGo } = holdProgram();
  const first = `{ name: first, run: '${command}' }`;
  const steps = `files: { read: [${place}] }\nsteps:\n  - ${first}\n  - { name: second, run: echo two }`;
  const id = await approve("pause", steps);
  await expect.poll(() => hasBegun(home), POLL).toBe(true);
  expect((await silas("work", "pause", id)).out).toContain("pauses after this step");
  letGo();
  await expect.poll(() => statusOf("pause"), POLL).toBe("paused");
  expect((await show(id)).ledger).toHaveLength(1);
  expect((await silas("work", "list")).out).toContain("Paused");
  const named = (...status: readonly string[]) => home.json<Listed>(["work", "list", "--json", ...status]);
  expect((await named("--status", "paused")).runs.map(({ run }) => run.status)).toEqual(["paused"]);
  expect((await named("--status", "stuck")).runs).toEqual([]);
  expect(await silas("work", "list", "--status", "asleep")).toMatchObject({ code: 2, out: "" });
  server.child.kill("SIGTERM");
  await server.ended;
  server = await home.start();
  await expect.poll(() => statusOf("pause"), POLL).toBe("paused");
  expect((await silas("work", "resume", id)).code).toBe(0);
  await expect.poll(() => statusOf("pause"), POLL).toBe("done");
  expect((await silas("work", "resume", id)).err).toContain("is over (done)");
});

test("stop-all ends every program at once and lets nothing begin, until start-again", async () => {
  const { command, place, mark, hasBegun } = holdProgram();
  const running = await approve("runs", `files: { read: [${place}] }\nsteps:\n  - { name: long, run: '${command}' }`);
  await expect.poll(() => hasBegun(home), POLL).toBe(true);
  expect(isAlive(mark)).toBe(true);
  expect((await silas("stop-all")).out).toContain("1 run was ended");
  expect(isAlive(mark)).toBe(false);
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
  await expect.poll(() => statusOf("waits"), POLL).toBe("pending");
  expect((await silas("start-again")).out).toContain("may begin again");
  await expect.poll(() => statusOf("waits"), POLL).toBe("done");
  const told = (await silas("activity")).out;
  for (const said of ["Paused", "go on", "Stopped everything", "Started again"]) expect(told).toContain(said);
});

test("stop-all ends every program also when nothing can be written, says so, and is recorded once it can", async () => {
  const { command, place, mark, hasBegun } = holdProgram();
  await approve("full", `files: { read: [${place}] }\nsteps:\n  - { name: long, run: '${command}' }`);
  await expect.poll(() => hasBegun(home), POLL).toBe(true);
  const database = databaseIn(home.dir);
  const full = "SELECT RAISE(ABORT, 'database or disk is full')";
  for (const table of ["audit_entries", "global_stops", "work_runs"]) {
    database.exec(`CREATE TRIGGER full_${table} BEFORE INSERT ON ${table} BEGIN ${full}; END`);
  }
  const unrecorded = await silas("stop-all");
  expect(unrecorded).toMatchObject({ code: 1, err: expect.stringContaining("Stopped, but not recorded") });
  expect(isAlive(mark)).toBe(false);
  expect((await home.json<Listed>(["work", "list", "--json"])).stopped).toMatchObject({ by: "terminal" });
  expect((await silas("start-again")).code).toBe(0);
  expect((await silas("stop-all")).err).toContain("not recorded");
  for (const table of ["audit_entries", "global_stops", "work_runs"]) database.exec(`DROP TRIGGER full_${table}`);
  database.close();
  expect((await silas("stop-all")).out).toContain("Stopped everything");
  expect((await silas("doctor")).out).toMatch(/warn +work +Everything was stopped/);
  expect((await silas("start-again")).out).toContain("may begin again");
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

test("[WORK-24] a gate asks in the middle of a run: it outlives kill -9, is answered in a terminal, and is in the receipt", async () => {
  const gate =
    "gates:\n  - { name: cap, on: on_tool_call, extract: content, type: numeric_range, auto_approve: { min: 0, max: 50 }, require_approval: { min: 50, max: 500 } }";
  const write = (name: string, content: number): string =>
    `  - { name: ${name}, tool: file_write, args: { path: ${name}.txt, content: "${content}" } }`;
  const id = await approve("asks", `${gate}\nsteps:\n${write("note", 10)}\n${write("pay", 120)}`);
  await expect.poll(() => statusOf("asks"), POLL).toBe("waiting");
  server.child.kill("SIGKILL");
  await server.ended;
  server = await home.start();
  await expect.poll(() => statusOf("asks"), POLL).toBe("waiting");
  expect((await silas("work", "list")).out).toContain("Waits for your decision");
  const { requests } = await home.json<{ readonly requests: readonly Asked[] }>(["inbox", "--json"]);
  expect(requests.map(({ card }) => card.intent)).toEqual(["Let step 2 run: pay"]);
  const [asked] = requests;
  if (asked === undefined) throw new Error("one request waits");
  const unanswered = await silas("approve", asked.request_id);
  expect(unanswered.code).toBe(3);
  for (const said of ["Gate cap asks you about 120", "/args/content: 120", "/tool: file_write"])
    expect(unanswered.err).toContain(said);
  expect(await silas("approve", asked.request_id, "--hash", asked.plan_hash)).toMatchObject({ code: 0 });
  await expect.poll(() => statusOf("asks"), POLL).toBe("done");
  expect((await silas("work", "show", id)).out).toContain(`pay (approved as ${asked.request_id}): ok`);
  const file = join(home.dir, "asks.receipt");
  expect(await silas("approvals", "export", id, file)).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toContain("single_step");
  expect((await silas("approvals", "verify", file)).out).toMatch(/execution +ok/);

  const blocked = await approve("blocked", `${gate}\nsteps:\n${write("pay", 130)}`);
  await expect.poll(() => statusOf("blocked"), POLL).toBe("waiting");
  const next = await home.json<{ readonly requests: readonly Asked[] }>(["inbox", "--json"]);
  expect(await silas("decline", next.requests[0]?.request_id ?? "")).toMatchObject({ code: 0 });
  await expect.poll(() => statusOf("blocked"), POLL).toBe("blocked");
  expect((await show(blocked)).run.last_error).toBe("Step pay was not run: gate cap asked you, and you blocked it");
  const told = (await silas("activity")).out;
  for (const said of [
    'Asked for a decision on "Let step 2 run: pay"',
    'Approved "Let step 2 run: pay"',
    'Declined "Let step 1 run: pay"',
  ])
    expect(told).toContain(said);
});
