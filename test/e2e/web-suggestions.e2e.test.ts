/** What Silas suggests, in the page: a run gets stuck, another is suggested, and taking that up asks for a decision. */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KeptMessageBody, SuggestionBody, WorkListBody } from "#model";
import { DESKTOP, gone, PHONE, startCockpit, untilSettled, type Cockpit } from "./browser.ts";
import { startLoopbackModel, type LoopbackModel } from "./loopback-model.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { asTerminal, openReview, proposeFile } from "./review-desk.ts";

/** A terminal may ask so often in a minute, and a slow machine is asked for minutes. */
const POLL = { interval: 200 };
const BROKEN = `---
id: task-broken
type: task
title: Build the page that is not there
budget: { max_attempts: 1 }
steps:
  - { name: build, run: cat not-there.txt }
---

# What to do

Build it.
`;

/** A plan for a model, which names a next step at its end. */
const greeting = (name: string): string => `---
id: task-${name}
type: task
title: Greet ${name}
executor: model
tools: [file_write]
skills: []
budget: { max_wall_time_seconds: 600, max_attempts: 1 }
verify:
  - { name: it is there, run: cat out.txt, expect: { contains: morning } }
on_stuck: report
---

# What to do

Write to ${name}.
`;
const nextStep = (name: string): string => `Send the greeting to ${name}.`;
const CALL = { tool: "file_write", args: { path: "out.txt", content: "good morning" }, artifacts: { it: "out.txt" } };
const endOf = (prompt: string) => ({
  summary: "It is written.",
  artifact_refs: ["it"],
  next_steps: [nextStep(prompt.includes("Write to anna.") ? "anna" : "berta")],
});

let cockpit: Cockpit;
let model: LoopbackModel;
beforeAll(async () => {
  model = await startLoopbackModel(({ prompt }) => {
    if (prompt.includes("Nothing was called yet")) return { content: CALL };
    return { content: prompt.includes("good morning") ? endOf(prompt) : { message: "Well.", plan_action: null } };
  });
  cockpit = await startCockpit({ SILAS_SUGGESTIONS__ENABLED: "true", ...model.env });
});
afterAll(async () => {
  await cockpit.close();
  model.close();
});

const waiting = async (): Promise<readonly SuggestionBody[]> =>
  (await asTerminal<{ readonly suggestions: readonly SuggestionBody[] }>(cockpit, "/api/suggestions")).suggestions;

test("[SUGG-04] [SUGG-07] [SUGG-10] after a run that got stuck Review suggests another; Do it asks about the plan, and nothing runs", async () => {
  const { request_id: first, plan_hash: hash } = await proposeFile(cockpit, BROKEN);
  expect((await cockpit.home.silas(["approve", first, "--hash", hash])).code).toBe(0);
  await expect.poll(async () => (await waiting()).length, POLL).toBe(1);
  const [suggestion] = await waiting();
  const id = suggestion?.suggestion_id ?? "";
  expect((await cockpit.home.silas(["inbox"])).out).toContain(`silas answer ${id} --do-it`);

  const { page } = await cockpit.open({ viewport: PHONE });
  await openReview({ page }, cockpit);
  const card = page.locator(`article[data-request="${id}"]`);
  await expect.poll(() => card.innerText()).toContain("Try again: Build the page that is not there");
  const choices = card.locator("button[data-choice]");
  await expect.poll(() => choices.allInnerTexts()).toEqual(["Do it", "Not now", "Not again"]);
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    await expect.poll(async () => [await faultsOf(page), await sidewaysOf(page)]).toEqual([[], 0]);
  }
  // As high as any card may be on a phone.
  await untilSettled(page);
  expect((await card.boundingBox())?.height ?? 0).toBeLessThanOrEqual(300);

  await choices.first().click();
  const requests = async () =>
    (
      await asTerminal<{ readonly requests: readonly { readonly request_id: string }[] }>(
        cockpit,
        "/api/approvals/inbox",
      )
    ).requests.map(({ request_id }) => request_id);
  await expect.poll(async () => (await requests()).length, POLL).toBe(1);
  const [asked] = await requests();
  await expect.poll(() => page.locator(`article[data-request="${asked}"]`).count()).toBe(1);
  await gone(card);
  const { runs } = await asTerminal<WorkListBody>(cockpit, "/api/work");
  expect(runs.map(({ run }) => run.status)).toEqual(["stuck"]);
});

/** Has a model carry out a plan and takes up the next step it named; answers with the suggestion. */
async function placeInTalk(page: Page, name: string): Promise<SuggestionBody> {
  const { request_id: id, plan_hash: hash } = await proposeFile(cockpit, greeting(name));
  expect((await cockpit.home.silas(["approve", id, "--hash", hash])).code).toBe(0);
  const find = async (): Promise<SuggestionBody | undefined> =>
    (await waiting()).find(({ rationale }) => rationale === nextStep(name));
  await expect.poll(find, POLL).toMatchObject({ offer: "next_step" });
  const suggestion = await find();
  if (suggestion === undefined) throw new Error("it is suggested");
  await openReview({ page }, cockpit);
  await page.locator(`article[data-request="${suggestion.suggestion_id}"] button[data-choice="do_it"]`).click();
  await expect.poll(() => composerOf(page).inputValue()).toBe(suggestion.rationale);
  return suggestion;
}
const composerOf = (page: Page): Locator => page.getByLabel("Say something to Silas");

async function sendWords(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect.poll(() => composerOf(page).inputValue()).toBe("");
}

test("[TAINT-06] a next step that a model named is placed in Talk: sent unchanged it is kept as a model's words, edited as the owner's own", async () => {
  const { page } = await cockpit.open();
  const unchanged = await placeInTalk(page, "anna");
  await sendWords(page);
  const edited = await placeInTalk(page, "berta");
  await composerOf(page).fill(`${edited.rationale} Tomorrow`);
  await sendWords(page);

  const { messages } = await asTerminal<{ readonly messages: readonly KeptMessageBody[] }>(cockpit, "/api/messages");
  const suggested = { item_id: unchanged.suggestion_id, relation: "suggestion", taint: "external" };
  expect(messages.map(({ text, sources }) => [text, sources])).toEqual([
    [`${edited.rationale} Tomorrow`, []],
    [unchanged.rationale, [suggested]],
  ]);
});
