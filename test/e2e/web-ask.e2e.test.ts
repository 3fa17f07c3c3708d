/** A plan that asks, in the page: a decision is chosen, a draft is changed, and the steps after it find both. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ShownRequestBody, WorkListBody } from "#model";
import { PHONE, startCockpit, type Cockpit } from "./browser.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { asTerminal, openReview, openSigner, type Proposed } from "./review-desk.ts";

/** A terminal may ask so often in a minute, and a slow machine is asked for minutes. */
const POLL = { interval: 200 };
const LETTER = `---
id: task-letter
type: task
title: Write the letter
steps:
  - name: choose
    tool: ask_owner
    args:
      question: Whom is it for?
      options: [{ label: The club, value: club }, { label: The town, value: town }]
      freetext: true
      file: who.txt
  - { name: write, run: "sh -c 'echo \\"Dear $(cat who.txt)\\" > letter.txt'" }
  - { name: look, tool: review_draft, args: { path: letter.txt, about: The letter to be sent }, artifacts: { letter: letter.txt } }
  - { name: send, run: cat letter.txt }
---

# What to do

Write it.
`;

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

type Inbox = { readonly requests: readonly ShownRequestBody[] };
/** The id of the one question of this kind, once it is asked. */
async function asked(kind: string): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const { requests } = await asTerminal<Inbox>(cockpit, "/api/approvals/inbox");
    return requests.find((request) => request.kind === kind)?.request_id;
  };
  await expect.poll(find, POLL).toBeTypeOf("string");
  return (await find()) ?? "";
}

test("[CARD-16] a plan asks for a decision and shows a draft: chosen and edited in the page, signed there, and found so by the steps after it", async () => {
  const { page } = await openSigner(cockpit, { viewport: PHONE });
  const { silas, json } = cockpit.home;
  const file = join(cockpit.home.dir, "letter.md");
  writeFileSync(file, LETTER);
  const { request } = await json<{ readonly request: Proposed }>(["plan", "propose", file, "--json"]);
  expect((await silas(["approve", request.request_id, "--hash", request.plan_hash])).code).toBe(0);
  const cardOf = (id: string): Locator => page.locator(`article[data-request="${id}"]`);

  const question = await asked("decision");
  expect((await silas(["approve", question, "--hash", request.plan_hash])).err).toContain(`silas answer ${question}`);
  await openReview({ page }, cockpit, question);
  const first = cardOf(question);
  await expect.poll(() => first.getByTestId("payload-facts").innerText()).toContain("Whom is it for?");
  await expect.poll(() => first.getByTestId("answer-form").innerText()).toContain("Choose an answer");
  await expect.poll(async () => [await faultsOf(page), await sidewaysOf(page)]).toEqual([[], 0]);
  await first.getByRole("radio", { name: "The town" }).check();
  await first.getByRole("button", { name: "Answer: The town" }).click();

  const draft = await asked("draft_review");
  await openReview({ page }, cockpit, draft);
  const second = cardOf(draft);
  const text = second.getByRole("textbox", { name: /^The draft/ });
  await expect.poll(() => text.inputValue()).toBe("Dear town\n");
  await expect.poll(() => second.getByRole("button", { name: "Approve the draft as it is" }).count()).toBe(1);
  await text.fill("Dear neighbours\n");
  await second.getByRole("button", { name: "Approve your own version" }).click();
  await second.getByTestId("confirm").click();

  const runs = async () => (await asTerminal<WorkListBody>(cockpit, "/api/work")).runs.map(({ run }) => run.status);
  await expect.poll(runs, POLL).toEqual(["done"]);
  const shown = await silas(["work", "show", request.request_id]);
  expect(shown.out).toContain("| Dear neighbours");
  const receipt = join(cockpit.home.dir, "receipt.json");
  expect((await silas(["approvals", "export", request.request_id, receipt])).code).toBe(0);
  expect((await silas(["approvals", "verify", receipt])).code).toBe(0);
});
