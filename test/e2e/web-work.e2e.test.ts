/** An approved plan as the page shows it: it runs in the real sandbox, is watched, ends with its checks, or is stopped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DESKTOP, PHONE, startCockpit, type Cockpit, type Opened } from "./browser.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { announced, openReview, openSigner, proposeFile } from "./review-desk.ts";

const POLL = { timeout: 60_000 };
const TABLE = readFileSync(join(import.meta.dirname, "../../docs/examples/make-a-table.md"), "utf8");
const TABLE_ID = "task-0190f8a2-9f41-7e77-8a31-4c5d6e7f8091";
const TITLE = "Make a table of the first twenty squares";

/** Says one line and then waits longer than anybody does. */
const LONG = `---
id: task-0190f8a2-9f41-7e77-8a31-4c5d6e7f8099
type: task
title: Wait for a long time
skills: []
budget: { max_wall_time_seconds: 600, max_attempts: 1 }
steps:
  - name: say hello
    run: echo hello
  - name: wait
    tool: node_exec
    args:
      script: |
        console.log("it <b>waits</b>");
        setInterval(() => undefined, 1000);
    timeout: 600
on_stuck: report
---

# What to do

Wait.
`;

const UNCHECKED = `---
id: task-0190f8a2-9f41-7e77-8a31-4c5d6e7f8098
type: task
title: Say hello
skills: []
steps:
  - name: say hello
    run: echo hello
on_stuck: report
---

# What to do

Say hello.
`;

let cockpit: Cockpit;
let opened: Opened;
let page: Page;

beforeAll(async () => {
  cockpit = await startCockpit();
  opened = await openSigner(cockpit);
  page = opened.page;
});
afterAll(() => cockpit.close());

/** Nothing serious in either theme, and nothing scrolls sideways on a phone. */
async function isSound(): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await faultsOf(page)).toEqual([]);
  }
  for (const viewport of [{ width: 320, height: 740 }, PHONE, DESKTOP]) {
    await page.setViewportSize(viewport);
    expect(await sidewaysOf(page)).toBe(0);
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
}

/** Proposes in the terminal, approves in the page. */
async function approve(plan: string): Promise<void> {
  const { request_id: id } = await proposeFile(cockpit, plan);
  const card = await openReview(opened, cockpit, id);
  await card.locator("[data-testid=decide] button").first().click();
  if ((await card.getAttribute("data-risk")) === "medium") await card.getByTestId("confirm").click();
  await card.waitFor({ state: "detached" });
}

const decided = (): Locator => page.getByTestId("decided").getByRole("listitem").filter({ hasText: TITLE });
const row = (): Locator => page.getByTestId("run-row");
const run = (): Locator => page.getByTestId("run");

describe("a run in the page", () => {
  test("an approved plan runs at once, and where it was decided says how it ended", async () => {
    await approve(TABLE);
    await expect.poll(() => announced(page), POLL).toMatch(/It runs now\.|Done, checked 3 of 3\./);
    await expect.poll(() => decided().getByTestId("ran").textContent(), POLL).toBe("Done, checked 3 of 3");
    await expect.poll(() => row().count(), POLL).toBe(0);
    await isSound();
    await decided().getByRole("link", { name: TITLE }).click();
    await expect.poll(() => page.getByTestId("what-ran").textContent(), POLL).toBe("Done, checked 3 of 3");
  });

  test("its page has the steps, the checks with what was expected, and what it left; also after a reload", async () => {
    await openReview(opened, cockpit);
    await decided().getByTestId("ran").click();
    const look = async (): Promise<void> => {
      await expect.poll(() => page.getByTestId("outcome").textContent(), POLL).toContain("Done, checked 3 of 3");
      const steps = page.getByTestId("step");
      expect(await steps.evaluateAll((all) => all.map((each) => each.dataset["state"]))).toEqual([
        "succeeded",
        "succeeded",
      ]);
      expect(await steps.first().textContent()).toMatch(/1\. write the numbersDone, exit code 0, took \d/);
      await steps.nth(1).getByText("Output").click();
      expect(await steps.nth(1).innerText()).toContain("number,square\n1,1\n2,4");
      const checks = page.getByTestId("check");
      expect(await checks.evaluateAll((all) => all.map((each) => each.dataset["passed"]))).toEqual([
        "yes",
        "yes",
        "yes",
      ]);
      await expect.poll(() => checks.last().innerText(), POLL).toContain('equals: "20,400"');
      expect(await run().innerText()).toMatch(/What it left\s+table \d+ bytes\s+[0-9a-f]{64}/);
    };
    await look();
    await page.reload();
    await look();
    await isSound();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Receipt" }).click();
    expect((await saved).suggestedFilename()).toMatch(/^silas-receipt-.+\.json$/);
    await page.getByRole("link", { name: "The decision" }).click();
    await page.waitForURL(/\/review\/./);
  });

  test("Activity tells it by its title, and the proof keeps the id", async () => {
    await page.goto(`${cockpit.url()}/activity`);
    const line = page.locator("main button[data-seq]").filter({ hasText: "is done" });
    await expect.poll(() => line.locator("bdi").textContent(), POLL).toBe(`"${TITLE}" is done, 3 of 3 checks passed`);
    await line.click();
    expect(await page.getByRole("dialog").innerText()).toContain(`"work_item_id": "${TABLE_ID}"`);
    await page.keyboard.press("Escape");
    const told = (await cockpit.home.silas(["activity"])).out;
    expect(told).toContain(`"${TITLE}" is done, 3 of 3 checks passed`);
    expect(told).toContain(`Asked for a decision on "${TITLE}"`);
  });

  test("what runs long says where it is and what it printed last, everywhere and after a reload", async () => {
    await approve(LONG);
    await expect.poll(() => row().textContent(), POLL).toContain("Step 2 of 2: wait");
    await expect.poll(() => page.getByTestId("last-line").textContent(), POLL).toBe("it <b>waits</b>");
    expect(await row().locator(".mono").textContent()).toMatch(/^0:00:\d\d$/);
    await page.reload();
    await expect.poll(() => row().textContent(), POLL).toContain("Step 2 of 2: wait");
    await isSound();
    await page.goto(`${cockpit.url()}/activity`);
    await row().waitFor();
    await page.goto(`${cockpit.url()}/`);
    await page.getByTestId("running-line").click();
    await expect.poll(() => run().getAttribute("data-status"), POLL).toBe("running");
    await isSound();
  });

  test("after a while without news it says that it still works", async () => {
    const other = await opened.context.newPage();
    await other.clock.install();
    await openReview({ page: other }, cockpit);
    await other.getByTestId("last-line").waitFor();
    expect(await other.getByTestId("still-working").count()).toBe(0);
    await other.clock.runFor(16_000);
    await expect
      .poll(() => other.getByTestId("still-working").textContent(), POLL)
      .toMatch(/^Still working, nothing new for \d+ s$/);
    await other.close();
  });

  test("stop ends it at once; the page says so and keeps the focus", async () => {
    await openReview(opened, cockpit);
    await page.getByRole("button", { name: "Stop: Wait for a long time" }).press("Enter");
    await expect.poll(() => row().count(), POLL).toBe(0);
    const ran = page.getByTestId("decided").getByTestId("ran").first();
    expect(await ran.textContent()).toBe("Stopped by you");
    await expect.poll(() => announced(page), POLL).toBe("Wait for a long time: Stopped by you.");
    await expect.poll(() => page.evaluate("document.activeElement.tagName"), POLL).toBe("H1");
    await ran.click();
    await expect.poll(() => page.getByTestId("outcome").textContent(), POLL).toContain("Stopped");
  });

  test("[INV-03] what nothing checked is said to be unchecked wherever it is shown", async () => {
    await approve(UNCHECKED);
    const ran = page.getByTestId("decided").getByTestId("ran").first();
    await expect.poll(() => ran.textContent(), POLL).toBe("Done, not checked");
    await ran.click();
    await expect.poll(() => page.getByTestId("outcome").textContent(), POLL).toContain("Done, not checked");
    expect(await run().innerText()).toContain("nothing outside of it confirmed the result");
    await page.goto(`${cockpit.url()}/activity`);
    await page.getByText('"Say hello" is done, not checked by anything').waitFor();
  });

  test("without a connection the last of it stays readable, and an unknown run is said to be unknown", async () => {
    await page.goto(`${cockpit.url()}/work/no-such-run`);
    await page.getByRole("heading", { name: "There is no such run" }).waitFor();
    await openReview(opened, cockpit);
    await page.getByTestId("decided").getByTestId("ran").first().click();
    await page.getByTestId("outcome").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    await cockpit.stopServer();
    await page.reload();
    await expect.poll(() => page.getByTestId("outcome").textContent(), POLL).toContain("Done, not checked");
    await page
      .getByText(/Offline - showing what was here/)
      .first()
      .waitFor();
    await cockpit.startServer();
  });

  test("the page did not complain but about what was not there", () => {
    expect(opened.complaints.filter((text) => !/Failed to load resource|WebSocket|ERR_CONNECTION/.test(text))).toEqual(
      [],
    );
  });
});
