/** A service is connected in the page: asked for in Settings, approved by a signature, declined once, and connected by a code. */
import { expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { SETTLED, untilSettled } from "./browser.ts";
import { enrolKey, install, openNotesDesk } from "./notes-desk.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";

const setupOf = (page: Page, type: string): Locator => page.locator(`article[data-connection][data-card-type=${type}]`);

/** Signs what asks to connect: the tap, then the chip elsewhere in the card. */
async function approve(page: Page): Promise<void> {
  const card = page.locator("article[data-card-type=connection_setup][data-state=pending]");
  await expect.poll(() => card.getByTestId("payload-facts").innerText()).toMatch(/Asks for\s+notes\.read/);
  await card.getByRole("button", { name: /^Approve/ }).tap();
  await card.getByTestId("confirm").tap();
}

test("[CARD-07] [CARD-10] a service is connected by a code that is typed elsewhere; declined there, the card says so and the next try succeeds", async () => {
  const desk = await openNotesDesk();
  const { running, service, page } = desk;
  await enrolKey(desk);
  await install(desk);

  await page.goto(`${running.url}/settings`, SETTLED);
  await page.locator("#connections [data-skill=notes]").getByRole("button", { name: "Connect Notes" }).tap();
  await approve(page);

  const code = setupOf(page, "device_code");
  await expect.poll(() => code.getByTestId("user-code").innerText()).toBe("WXYZ-1234");
  const link = code.getByRole("link", { name: "Open notes.example.com" });
  await expect.poll(() => link.getAttribute("href")).toBe("https://notes.example.com/go");
  await expect.poll(() => code.getByTestId("countdown").innerText()).toMatch(/^5\d:\d\d left$/);
  await untilSettled(page);
  expect(await code.getByTestId("card-body").evaluate((body) => body.clientHeight)).toBeLessThanOrEqual(300);
  expect(await sidewaysOf(page)).toBe(0);
  expect(await faultsOf(page)).toEqual([]);

  service.answers.set("/token", { error: "access_denied" });
  const failure = setupOf(page, "connection_failure");
  await expect.poll(() => failure.innerText()).toContain("The sign-in at Notes was declined. It is not connected.");
  await expect.poll(() => failure.locator("[data-choice]").count()).toBe(3);
  expect(await faultsOf(page)).toEqual([]);
  service.answers.delete("/token");
  await failure.locator("[data-choice=retry]").tap();
  await approve(page);
  await expect.poll(() => code.getByTestId("user-code").innerText()).toBe("WXYZ-1234");
  service.allow();

  const ended = setupOf(page, "connection_ended");
  await expect.poll(() => ended.innerText()).toContain("Notes of Ada is connected.");
  await ended.getByRole("button", { name: "Close" }).tap();
  await page.goto(`${running.url}/settings`, SETTLED);
  const row = page.locator("#connections li[data-status=active]");
  await expect.poll(() => row.innerText()).toMatch(/Notes of Ada\s+Connected/);
  await expect.poll(() => row.innerText()).toContain("notes.read");
  await row.getByRole("button", { name: "Check now: Notes of Ada" }).tap();
  await expect.poll(() => row.innerText()).toContain("last found healthy");
  expect(await faultsOf(page)).toEqual([]);
});
