/** A service is connected in the page: asked for in Settings, approved by a signature, declined once, and connected by a code. */
import { onTestFinished, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import type { ShownRequestBody } from "#model";
import { NOTES, notesHost, type NotesHost } from "../contracts/connection-fixture.ts";
import { skillFolder } from "../contracts/skill-fixture.ts";
import { launch, openPage, PHONE, SETTLED } from "./browser.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { terminalOf } from "./page-device.ts";
import { startServer, type Running } from "./server-start.ts";

/** The skill of the contract, with a code that outlives the slowest machine. */
const SKILL = {
  ...NOTES,
  "scripts/setup.mjs": (NOTES["scripts/setup.mjs"] ?? "").replace("expires_in: 60", "expires_in: 3600"),
};
const HOUR_MS = 3_600_000;

type Desk = { readonly running: Running; readonly service: NotesHost; readonly page: Page };

async function openDesk(): Promise<Desk> {
  const service = await notesHost();
  service.expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const running = await startServer({ network: service.network });
  const browser = await launch();
  onTestFinished(async () => {
    await browser.close();
    await running.stop();
  });
  const link = running.app.enrolmentLink();
  const { page } = await openPage(browser, { link, viewport: PHONE, isAway: () => false });
  return { running, service, page };
}

async function enrolKey({ running, page }: Desk): Promise<void> {
  await page.goto(`${running.url}/settings#signing`, SETTLED);
  await page.getByRole("button", { name: "Let this device sign" }).click();
  const code = await page.getByTestId("device-code").getAttribute("data-code");
  await terminalOf(running).call("/api/keys/devices/confirm", { code });
  await page.locator("[data-device=enrolled]").waitFor();
}

async function install({ running }: Desk): Promise<void> {
  const terminal = terminalOf(running);
  const place = skillFolder(SKILL, "notes");
  type Asked = { readonly request: Pick<ShownRequestBody, "request_id" | "plan_hash"> };
  const { body } = await terminal.call<Asked>("/api/skills/install", { place });
  const { request_id, plan_hash: shown_hash } = body.request;
  const friction = ["tap", "confirm", "slide"];
  const answer = { request_id, verdict: "approved", shown_hash, friction };
  expect((await terminal.call("/api/approvals/decide", answer)).status).toBe(200);
  // Its scripts are tried before it is active.
  type Listed = { readonly skills: readonly { readonly name: string; readonly state: string }[] };
  const states = async () => (await terminal.call<Listed>("/api/skills")).body.skills.map(({ state }) => state);
  await expect.poll(states, { interval: 500 }).toEqual(["active"]);
}

const setupOf = (page: Page, type: string): Locator => page.locator(`article[data-connection][data-card-type=${type}]`);

/** Signs what asks to connect: the tap, then the chip elsewhere in the card. */
async function approve(page: Page): Promise<void> {
  const card = page.locator("article[data-card-type=connection_setup][data-state=pending]");
  await expect.poll(() => card.getByTestId("payload-facts").innerText()).toMatch(/Asks for\s+notes\.read/);
  await card.getByRole("button", { name: /^Approve/ }).tap();
  await card.getByTestId("confirm").tap();
}

test("[CARD-07] [CARD-10] a service is connected by a code that is typed elsewhere; declined there, the card says so and the next try succeeds", async () => {
  const desk = await openDesk();
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
  await expect.poll(() => code.getByTestId("card-body").evaluate((body) => body.clientHeight)).toBeLessThanOrEqual(300);
  await expect.poll(() => sidewaysOf(page)).toBe(0);
  await expect.poll(() => faultsOf(page)).toEqual([]);

  service.answers.set("/token", { error: "access_denied" });
  const failure = setupOf(page, "connection_failure");
  await expect.poll(() => failure.innerText()).toContain("The sign-in at Notes was declined. It is not connected.");
  await expect.poll(() => failure.locator("[data-choice]").count()).toBe(3);
  await expect.poll(() => faultsOf(page)).toEqual([]);
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
  await expect.poll(() => faultsOf(page)).toEqual([]);
});
