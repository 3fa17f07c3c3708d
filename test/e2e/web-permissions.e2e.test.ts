/** A step needs more of a connection than it has: its run waits, Review asks, and the owner gives it once, or does not. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { ShownRequestBody, WorkListBody } from "#model";
import { ACCESS, WIDER } from "../contracts/connection-fixture.ts";
import { SETTLED, untilSettled } from "./browser.ts";
import { createHome } from "./cli-process.ts";
import {
  approveThere,
  connect,
  connectionsOf,
  enrolKey,
  install,
  openNotesDesk,
  type NotesDesk,
} from "./notes-desk.ts";
import { propose, terminalOf } from "./page-device.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";

const planFor = (connectionId: string, id: string): string => `---
id: ${id}
type: task
title: Note the milk of ${id}
skills: [notes]
hosts: [notes.example.com]
budget: { max_attempts: 1 }
steps:
  - name: note it
    tool: node_exec
    network: true
    args: { skill: notes, file: scripts/add_note.mjs, input: { text: Milk }, connection: ${connectionId}, permissions: [notes.write] }
---

# What to do

Note it.
`;

type Waiting = { readonly runId: string; readonly requestId: string; readonly hash: string };
type Inbox = { readonly requests: readonly ShownRequestBody[] };

/** Approved at the terminal; answers when its run waits for more than the connection has. */
async function begun(desk: NotesDesk, id: string): Promise<Waiting> {
  const terminal = terminalOf(desk.running);
  const connectionId = (await connectionsOf(desk))[0]?.record.connection_id ?? "";
  const request = await propose(desk.running, planFor(connectionId, id));
  await approveThere(desk, { request });
  const inbox = async () => (await terminal.call<Inbox>("/api/approvals/inbox")).body.requests;
  const isAsked = async () => (await inbox()).map(({ kind }) => kind);
  await expect.poll(isAsked, { interval: 200 }).toEqual(["permission_escalation"]);
  const [asked] = await inbox();
  const { runs } = (await terminal.call<WorkListBody>("/api/work")).body;
  const run = runs.find(({ request_id: by }) => by === request.request_id);
  return { runId: run?.run.run_id ?? "", requestId: asked?.request_id ?? "", hash: asked?.plan_hash ?? "" };
}

const cardOf = (page: Page): Locator => page.locator("article[data-card-type=permission_escalation]");
const signInOf = (page: Page): Locator => page.locator("article[data-connection][data-card-type=device_code]");
const endedOf = (page: Page): Locator => page.locator("article[data-card-type=connection_ended]");
const outcomeOf = (page: Page) => page.getByTestId("outcome").innerText();
const addsTo = ({ service }: NotesDesk) => service.asked.filter(({ path }) => path === "/add");
const grantedTo = async (desk: NotesDesk) => (await connectionsOf(desk))[0]?.record.permissions_granted;

async function isSound(page: Page): Promise<void> {
  expect(await sidewaysOf(page)).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
}

test("[PERM-02] [PERM-03] [PERM-05] [PERM-06] [CARD-09] a step that needs more waits for its card; just this once runs it and leaves nothing, cancelled or denied it does not run, and each page says so", async () => {
  const desk = await openNotesDesk();
  const { running, service, page } = desk;
  const silas = createHome(running.dir).silas;
  await enrolKey(desk);
  await install(desk);
  await connect(desk);

  // The run waits, and leads to what it waits for.
  const once = await begun(desk, "task-once");
  await page.goto(`${running.url}/work/${once.runId}`, SETTLED);
  const run = page.getByTestId("run");
  await expect.poll(() => run.innerText()).toMatch(/Waits for your decision[^]*1\. note it\s+To come/);
  await isSound(page);
  await run.getByRole("link", { name: "Decide about the next step of: Note the milk of task-once" }).tap();
  const card = cardOf(page);
  const facts = card.getByTestId("payload-facts");
  await expect
    .poll(() => facts.innerText())
    .toMatch(/Where\s+Notes of Ada\s+Has now\s+notes\.read\s+Asks for\s+\+ notes\.write/);
  await expect
    .poll(() => facts.innerText())
    .toContain('Step 1 of "Note the milk of task-once", note it, runs scripts/add_note.mjs, which uses notes.write');
  await expect.poll(() => card.getAttribute("data-risk")).toBe("medium");
  const choices = card.getByTestId("decide").getByRole("button");
  await expect
    .poll(() => choices.allInnerTexts())
    .toEqual([
      "Approve for good: sign in again",
      "Just this once: nothing of it stays",
      "Deny: the run ends before step 1",
    ]);
  for (const choice of await choices.all())
    await expect.poll(async () => (await choice.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await untilSettled(page);
  expect(await card.getByTestId("card-body").evaluate((body) => body.clientHeight)).toBeLessThanOrEqual(300);
  await isSound(page);
  expect(addsTo(desk)).toEqual([]);

  // Just this once: signed, signed in for, run, and gone.
  await choices.nth(1).tap();
  await card.getByTestId("confirm").tap();
  const signIn = signInOf(page);
  await expect.poll(() => signIn.innerText()).toContain("End it; the connection stays as it was, and the run ends.");
  const row = page.getByTestId("run-row");
  await expect.poll(() => row.innerText()).toContain("Waits until you have signed in again");
  await isSound(page);
  expect(addsTo(desk)).toEqual([]);
  service.allow();
  await expect.poll(() => endedOf(page).innerText()).toContain("Notes of Ada is as it was");
  await page.goto(`${running.url}/work/${once.runId}`, SETTLED);
  await expect.poll(() => outcomeOf(page)).toBe("Done, not checked");
  expect(addsTo(desk)).toMatchObject([{ authorization: `Bearer ${WIDER}` }]);
  expect(await grantedTo(desk)).toEqual(["notes.read"]);
  service.forget();

  // The next one asks again. Approved at the terminal, and cancelled in the page while it signs in.
  const cancelled = await begun(desk, "task-cancelled");
  const approved = await silas(["approve", cancelled.requestId, "--once", "--hash", cancelled.hash]);
  expect(approved).toMatchObject({ code: 0, out: expect.stringContaining("Let Notes of Ada do more: notes.write") });
  expect((await silas(["work", "show", cancelled.runId])).out).toContain("Approved, signs in again first");
  await page.goto(`${running.url}/review`, SETTLED);
  await signIn.getByRole("button", { name: /^Cancel/ }).tap();
  await expect.poll(() => endedOf(page).innerText()).toContain("Notes of Ada is as it was");
  await page.goto(`${running.url}/work/${cancelled.runId}`, SETTLED);
  await expect.poll(() => outcomeOf(page)).toMatch(/^Blocked: .*notes\.write.*did not give it/);

  // Denied, it ends with what it missed.
  const denied = await begun(desk, "task-denied");
  await page.goto(`${running.url}/review`, SETTLED);
  await card.getByRole("button", { name: /^Deny/ }).tap();
  await card.waitFor({ state: "detached" });
  await page.goto(`${running.url}/work/${denied.runId}`, SETTLED);
  await expect.poll(() => outcomeOf(page)).toMatch(/^Blocked: .*connection_permission \(notes\.write\)/);
  await isSound(page);
  expect(addsTo(desk)).toHaveLength(1);
  expect(await grantedTo(desk)).toEqual(["notes.read"]);

  await page.goto(`${running.url}/activity`, SETTLED);
  const told = page.locator("main button[data-seq] bdi");
  for (const line of [
    'Declined "Let Notes of Ada do more: notes.write"',
    "Widened the connection notes for one call",
    '"Note the milk of task-once" is done, not checked by anything',
    '"Note the milk of task-denied" could not be run',
  ])
    await expect.poll(() => told.allTextContents()).toContain(line);
  await untilSettled(page);
  expect(await page.content()).not.toMatch(new RegExp(`${ACCESS}|${WIDER}`));
});
