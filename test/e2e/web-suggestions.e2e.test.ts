/** What Silas suggests, in the page: a run gets stuck, another is suggested, and taking that up asks for a decision. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SuggestionBody, WorkListBody } from "#model";
import { DESKTOP, gone, PHONE, startCockpit, untilSettled, type Cockpit } from "./browser.ts";
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

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit({ SILAS_SUGGESTIONS__ENABLED: "true" });
});
afterAll(() => cockpit.close());

test("[SUGG-04] [SUGG-07] [SUGG-10] after a run that got stuck Review suggests another; Do it asks about the plan, and nothing runs", async () => {
  const { request_id: first, plan_hash: hash } = await proposeFile(cockpit, BROKEN);
  expect((await cockpit.home.silas(["approve", first, "--hash", hash])).code).toBe(0);
  const waiting = async () =>
    (await asTerminal<{ readonly suggestions: readonly SuggestionBody[] }>(cockpit, "/api/suggestions")).suggestions;
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
