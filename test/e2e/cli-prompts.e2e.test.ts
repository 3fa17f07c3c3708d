import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, ROOT, type Home } from "./cli-process.ts";
import { sitAt, type Turn } from "./typing-person.ts";

const GOAL = join(ROOT, "docs", "examples", "site-is-up.md");
const TASK = join(ROOT, "docs", "examples", "tidy-notes.md");

type Row = { readonly request_id: string; readonly plan_hash: string; readonly risk_level: string };

// A wrong answer decides nothing, so one home serves them all; the right answers come last.
let home: Home;
let goal: Row;
let task: Row;
beforeAll(async () => {
  home = createHome();
  // Nobody prepared anything: whoever approves first gets the first key on the way.
  [goal, task] = [await propose(GOAL), await propose(TASK)];
});
afterAll(() => home.remove());

async function propose(file: string): Promise<Row> {
  const { request } = await home.json<{ readonly request: Row }>(["plan", "propose", file, "--json"]);
  return request;
}

async function waiting(): Promise<readonly string[]> {
  const { requests } = await home.json<{ readonly requests: readonly Row[] }>(["inbox", "--json"]);
  return requests.map(({ request_id: id }) => id);
}

const asked = { approve: /Approve this plan/, word: /Type approve/, hash: /first 8 characters/ };
const yes: Turn = { when: asked.approve, type: "y" };
const word: Turn = { when: asked.word, type: "approve\r" };

const WRONG: readonly (readonly [string, "goal" | "task", readonly Turn[]])[] = [
  ["a no", "goal", [{ when: asked.approve, type: "n" }]],
  ["an escape", "goal", [{ when: asked.approve, type: "\u001b" }]],
  ["an interrupt", "goal", [{ when: asked.approve, type: "\u0003" }]],
  ["a part of the hash", "goal", [yes, { when: asked.hash, type: "0\r" }]],
  ["another hash", "goal", [yes, { when: asked.hash, type: "zzzzzzzz\r" }]],
  ["a look-alike of the word", "task", [yes, { when: asked.word, type: "\u0430pprove\r" }]],
  ["another case", "task", [yes, { when: asked.word, type: "APPROVE\r" }]],
  ["nothing typed", "task", [yes, { when: asked.word, type: "\r" }]],
];

test.each(WRONG)("[FLOW-22] %s approves nothing, and the requests wait on", async (_name, kind, turns) => {
  const { request_id: id } = kind === "goal" ? goal : task;
  const { code, screen } = await sitAt(home, { args: ["approve", id], turns });
  expect(screen).not.toContain(`Approved ${id}`);
  expect(code).toBe(3);
  expect(await waiting()).toEqual([goal.request_id, task.request_id]);
});

test("[RISK-01] high risk asks a person for a tap and the hash, and the receipt carries that plan", async () => {
  const { request_id: id, plan_hash: hash, risk_level: risk } = goal;
  expect(risk).toBe("high");
  const turns = [yes, { when: asked.hash, type: `${hash.slice(0, 8)}\r` }];
  const { code, screen } = await sitAt(home, { args: ["approve", id], turns });
  expect(screen).toContain(`Approved ${id}`);
  expect(code).toBe(0);
  const { out } = await home.silas(["approvals", "export", id]);
  expect(out).toContain(hash);
});

test("[RISK-01] [FLOW-24] medium risk asks in plain text for a tap and a typed confirmation", async () => {
  const { request_id: id, risk_level: risk } = task;
  expect(risk).toBe("medium");
  const { code, screen } = await sitAt(home, { args: ["approve", id], turns: [yes, word] });
  expect(screen).not.toMatch(asked.hash);
  expect(screen).toContain(`Approved ${id}`);
  expect(code).toBe(0);
});

test("what a plan says about itself cannot write on the screen", async () => {
  const hostile = readFileSync(TASK, "utf8").replace(/^title: .*$/m, 'title: "Tidy \\u001b[2J\\u202eevil"');
  expect(hostile).toContain("evil");
  const ran = await home.silas(["plan", "propose", "-"], { input: hostile });
  // Whether such a title is refused or neutralised, its bytes never reach the terminal.
  expect(`${ran.out}${ran.err}`).not.toMatch(/\u001b\[2J|\u202e/u);
});
