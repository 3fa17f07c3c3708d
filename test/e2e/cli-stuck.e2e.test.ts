/** What is out of ways, from a terminal: another way is a card of its own, and advice is heard by the model that works. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ShownRequestBody, WorkDetailBody, WorkListBody } from "#model";
import { createHome, type Home } from "./cli-process.ts";
import { greetingPlan, modelGreetingPlan } from "./greeting-plans.ts";
import { startLoopbackModel, type LoopbackModel, type Said, type Sent } from "./loopback-model.ts";

const POLL = { interval: 250 };
const stepsPlan = (id: string, content: string): string => greetingPlan({ id, content });
const MODEL_PLAN = modelGreetingPlan("max_attempts: 5, max_tokens: 50000");

const OTHER = stepsPlan("task-other", "good morning");
const ADVICE = "Greet the morning, not the evening.";
const END = { summary: "It is written.", artifact_refs: [], next_steps: ["Send it."] };
const TURN_TOKENS = 100;
const ADVICE_TOKENS = 900;

const isPlanner = ({ system }: Sent): boolean => system.startsWith("You are the planner");
const isAdvice = (sent: Sent): boolean => isPlanner(sent) && sent.prompt.includes("Advise that model");

/** The planner knows another way, and what to advise; the model that works writes the wrong words until it is advised. */
function says(sent: Sent): Said {
  if (isAdvice(sent)) return { content: { message: ADVICE }, tokens: ADVICE_TOKENS };
  if (isPlanner(sent))
    return { content: { message: "It greets the morning.", plan_action: { action: "revise", plan_markdown: OTHER } } };
  if (!sent.prompt.includes("Nothing was called yet")) return { content: END, tokens: TURN_TOKENS };
  const content = sent.prompt.includes(ADVICE) ? "good morning" : "good evening";
  return { content: { tool: "file_write", args: { path: "out.txt", content } }, tokens: TURN_TOKENS };
}

let home: Home;
let model: LoopbackModel;
beforeEach(async () => {
  home = createHome();
  model = await startLoopbackModel(says);
  await home.start(["--no-open"], model.env);
});
afterEach(async () => {
  await home.remove();
  model.close();
});

type Checked = { readonly plan_hash: string };
type Inbox = { readonly requests: readonly ShownRequestBody[] };

const inbox = async () => (await home.json<Inbox>(["inbox", "--json"])).requests;
const show = (runId: string) => home.json<WorkDetailBody>(["work", "show", runId, "--json"]);
const statuses = async () =>
  (await home.json<WorkListBody>(["work", "list", "--json"])).runs.map(({ run }) => run.status).toSorted();

/** Approves a plan in a file and watches it to its end. */
async function carryOut(plan: string): Promise<{ readonly code: number | null; readonly runId: string }> {
  const file = join(home.dir, "plan.md");
  writeFileSync(file, plan);
  const { plan_hash: hash } = await home.json<Checked>(["plan", "check", file, "--json"]);
  const ran = await home.silas(["run", file, "--hash", hash, "--json"]);
  return { code: ran.code, runId: (JSON.parse(ran.out) as WorkDetailBody).run.run_id };
}

test("[CONSULT-05] [CONSULT-08] [CONSULT-09] [FLOW-10] a run that is stuck has the planner asked; its other way is a card that names what it replaces and why, runs nothing before it is approved, and is done then", async () => {
  const { code, runId } = await carryOut(stepsPlan("task-greeting", "good evening"));
  expect(code).toBe(1);
  await expect.poll(async () => (await inbox()).length, POLL).toBe(1);
  const [request] = await inbox();
  const id = request?.request_id ?? "";
  expect((await home.silas(["inbox"])).out).toContain(id);
  const card = (await home.silas(["approvals", "show", id])).out;
  expect(card).toContain("Written by a model that had read text from outside");
  const failed = "Check it greets failed: The output does not contain the text";
  expect(card).toContain(`replaces    "Write a greeting" (run ${runId}), which failed: ${failed}\n`);
  expect(card).toContain(`It takes the place of "Write a greeting" (run ${runId}), which failed: ${failed}`);
  expect(card).toContain("What is different, as the model says: It greets the morning.");
  const first = await show(runId);
  expect(request?.plan_hash).not.toBe(first.run.plan_hash);
  expect(await statuses()).toEqual(["stuck"]);
  const told = async () => (await home.silas(["work", "show", runId])).out;
  expect(await told()).toContain(`Proposed another way (1 of 2): request ${id} waits for your decision`);
  expect(await home.silas(["approve", id, "--hash", request?.plan_hash ?? ""])).toMatchObject({ code: 0 });
  await expect.poll(statuses, POLL).toEqual(["done", "stuck"]);
  await expect.poll(told, POLL).toMatch(/you approved request [0-9a-f]+, run [0-9a-f-]+: Done, checked 1 of 1/);
  // The planner was asked once, and what failed stays as it ended.
  expect(model.sent.filter(isPlanner)).toHaveLength(1);
  expect((await show(runId)).run).toEqual(first.run);
  expect((await home.silas(["audit", "verify", "--full"])).code).toBe(0);
});

test("[CONSULT-01] [CONSULT-03] [WORK-30] a model whose check fails three times is sent the planner's advice with its next attempt, and the run pays for it", async () => {
  const { code, runId } = await carryOut(MODEL_PLAN);
  expect(code).toBe(0);
  const { run: done, consults } = await show(runId);
  expect(done).toMatchObject({ status: "done", is_verified: true, attempts: 4 });
  expect(consults).toMatchObject([{ kind: "advice", number: 1, state: "ended", guidance: ADVICE }]);
  const turns = model.sent.filter((sent) => !isPlanner(sent));
  const advised = turns.findIndex(({ prompt }) => prompt.includes("# Planner guidance"));
  // Two questions to an attempt: what to call, and whether that was all.
  expect(advised).toBe(6);
  expect(turns[advised]?.prompt).toContain(`# Planner guidance\n\n--- external ---\n${ADVICE}\n--- end ---`);
  expect(model.sent.filter(isPlanner).map(isAdvice)).toEqual([true]);
  const tokens = turns.length * TURN_TOKENS + ADVICE_TOKENS;
  expect(done.budget_used).toMatchObject({ planner_calls: 1, tokens });
  const told = (await home.silas(["work", "show", runId])).out;
  expect(told).toContain(`Asked the planner for advice (1 of 3): ${ADVICE}`);
  expect(told).toContain(`1 question to the planner, ${tokens} tokens`);
  expect(told).toContain("The model says\n  | It is written.\n  Next: Send it.\n");
  expect(told).toContain("4.2 The model says that it has finished: ok");
  expect(await inbox()).toEqual([]);
});
