/** A run that is out of ways and a model that works, in the page: what replaces what, what came of it, and in whose words. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { ShownRequestBody, WorkListBody } from "#model";
import { DESKTOP, PHONE, startCockpit, untilSettled, type Cockpit, type Opened } from "./browser.ts";
import { greetingPlan, modelGreetingPlan } from "./greeting-plans.ts";
import { startLoopbackModel, type LoopbackModel, type Said, type Sent } from "./loopback-model.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { asTerminal, openReview, openSigner, propose, untilIdle } from "./review-desk.ts";

const TITLE = "Compare the quarterly figures of all nine branches and write what differs";
const stepsPlan = (id: string, content: string): string => greetingPlan({ id, content, title: TITLE });
const MODEL_PLAN = modelGreetingPlan("max_attempts: 1");

/** Another way for what fails; the model that works does it at once. */
function says({ system, prompt }: Sent): Said {
  if (system.startsWith("You are the planner")) {
    const plan_action = { action: "revise", plan_markdown: stepsPlan("task-other", "good morning") };
    return { content: { message: "It greets the morning.", plan_action } };
  }
  if (prompt.includes("Nothing was called yet"))
    return { content: { tool: "file_write", args: { path: "out.txt", content: "good morning" } }, tokens: 1200 };
  return { content: { summary: "The greeting is written.", artifact_refs: [], next_steps: ["Send it."] }, tokens: 300 };
}

let model: LoopbackModel;
let cockpit: Cockpit;
let opened: Opened;
let page: Page;
beforeAll(async () => {
  model = await startLoopbackModel(says);
  cockpit = await startCockpit(model.env);
  opened = await openSigner(cockpit, { viewport: PHONE });
  page = opened.page;
});
afterAll(async () => {
  await cockpit.close();
  model.close();
});

type Asked = Pick<ShownRequestBody, "request_id" | "plan_hash">;
const waiting = async () =>
  (await asTerminal<{ readonly requests: readonly Asked[] }>(cockpit, "/api/approvals/inbox")).requests;

/** The run of what was approved, once it has ended. */
async function carryOut({ request_id: id, plan_hash: hash }: Asked): Promise<string> {
  const approved = await cockpit.home.silas(["approve", id, "--hash", hash]);
  if (approved.code !== 0) throw new Error(approved.err);
  const runOf = async (): Promise<string> =>
    (await asTerminal<WorkListBody>(cockpit, "/api/work")).runs.find((each) => each.request_id === id)?.run.run_id ??
    "";
  await expect.poll(runOf).not.toBe("");
  await untilIdle(cockpit);
  return runOf();
}

/** Nothing wider than the window on a phone and on a desk, and nothing serious. */
async function isSound(): Promise<void> {
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    expect(await sidewaysOf(page)).toBe(0);
  }
  expect(await faultsOf(page)).toEqual([]);
}

test("[CONSULT-08] [CONSULT-09] [CARD-04] the card of another way says on its face what it replaces and why, and both runs lead to each other", async () => {
  const failedId = await carryOut(await propose(cockpit, stepsPlan("task-greeting", "good evening")));
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [other] = await waiting();
  if (other === undefined) throw new Error("another way is asked");
  await page.goto(`${cockpit.url()}/work/${failedId}`);
  const planner = page.getByTestId("planner");
  await expect.poll(() => planner.textContent()).toContain("it waits for your decision. Decide on the other way");
  await untilSettled(page);
  expect(await page.getByTestId("run").textContent()).not.toContain("Change the plan in its file");
  await isSound();
  const card = await openReview(opened, cockpit, other.request_id);
  const replaced = card.getByTestId("replaced");
  await expect
    .poll(() => replaced.textContent())
    .toBe(`In place of "${TITLE}", which failed: Check it greets failed: The output does not contain the text`);
  await expect.poll(() => replaced.getByRole("link").getAttribute("href")).toBe(`/work/${failedId}`);
  await untilSettled(page);
  expect((await card.getByTestId("card-body").boundingBox())?.height).toBeLessThanOrEqual(300);
  await isSound();
  const otherId = await carryOut(other);
  await page.goto(`${cockpit.url()}/work/${failedId}`);
  await expect.poll(() => planner.textContent()).toContain("you approved it: Done, checked 1 of 1.");
  await planner.getByRole("link").click();
  await expect.poll(() => page.url()).toContain(otherId);
  await page.getByTestId("replaced").getByRole("link").click();
  await expect.poll(() => page.url()).toContain(failedId);
  expect(opened.complaints).toEqual([]);
});

test("[WORK-19] the page of a model's run tells its questions from its calls, what each used, and what the model says in its own words", async () => {
  const runId = await carryOut(await propose(cockpit, MODEL_PLAN));
  await page.goto(`${cockpit.url()}/work/${runId}`);
  const steps = page.getByTestId("step");
  await expect
    .poll(() => steps.allTextContents())
    .toEqual([
      expect.stringMatching(/^The model chooses call 1Done, 1200 tokens Answer/),
      expect.stringMatching(/^1\. file_write out\.txtDone/),
      expect.stringMatching(/^The model says that it has finishedDone, 300 tokens Answer/),
    ]);
  await expect
    .poll(() => page.getByTestId("said").textContent())
    .toMatch(/The greeting is written\.It suggestsSend it\.$/);
  await expect.poll(() => page.getByTestId("budget").textContent()).toContain("1,500 of 200,000");
  await isSound();
});
