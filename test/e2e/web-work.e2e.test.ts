/** An approved plan as the page shows it: it runs in the real sandbox, is watched, ends with its checks, or is stopped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseIn } from "./cli-process.ts";
import { DESKTOP, gone, heardIn, PHONE, startCockpit, untilKept, type Cockpit, type Opened } from "./browser.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { asTerminal, openReview, openSigner, proposeFile } from "./review-desk.ts";

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

/** Its one step is more than goes without asking. */
const ASKS = `---
id: task-0190f8a2-9f41-7e77-8a31-4c5d6e7f8097
type: task
title: Pay the rent
skills: []
gates:
  - { name: cap, on: on_tool_call, extract: content, type: numeric_range, auto_approve: { min: 0, max: 50 }, require_approval: { min: 50, max: 500 } }
steps:
  - { name: pay, tool: file_write, args: { path: paid.txt, content: "120" } }
on_stuck: report
---

# What to do

Pay it.
`;

const goalPlan = (id: string, title: string): string => `---
id: ${id}
type: goal
title: ${title}
schedule: "0 3 1 1 *"
budget: { max_attempts: 1 }
verify:
  - { name: answers, run: echo good, expect: { contains: good } }
---

# What to do

See that it answers.
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
  await openReview(opened, cockpit, id);
  // Its own card: what it asks as soon as it runs may stand there next.
  const card = page.locator(`article[data-request="${id}"]`);
  await card.locator("[data-testid=decide] button").first().click();
  const risk = await card.getAttribute("data-risk");
  if (risk === "medium") await card.getByTestId("confirm").click();
  if (risk === "high") {
    await card.getByRole("slider").press("End");
    await card.getByRole("slider").press("Enter");
  }
  await card.waitFor({ state: "detached" });
}

const decided = (): Locator => page.getByTestId("decided").getByRole("listitem").filter({ hasText: TITLE });
const row = (): Locator => page.getByTestId("run-row");
const run = (): Locator => page.getByTestId("run");

describe("a run in the page", () => {
  test("an approved plan runs at once, and where it was decided says how it ended", async () => {
    await approve(TABLE);
    await expect.poll(async () => (await heardIn(page)).join("\n")).toMatch(/It runs now\.|Done, checked 3 of 3\./);
    await expect.poll(() => decided().getByTestId("ran").textContent()).toBe("Done, checked 3 of 3");
    await gone(row());
    await isSound();
    await decided().getByRole("link", { name: TITLE }).click();
    await expect.poll(() => page.getByTestId("what-ran").textContent()).toBe("Done, checked 3 of 3");
  });

  test("its page has the steps, the checks with what was expected, and what it left; also after a reload", async () => {
    await openReview(opened, cockpit);
    await decided().getByTestId("ran").click();
    const look = async (): Promise<void> => {
      await expect.poll(() => page.getByTestId("outcome").textContent()).toContain("Done, checked 3 of 3");
      const steps = page.getByTestId("step");
      await expect
        .poll(() => steps.evaluateAll((all) => all.map((each) => each.dataset["state"])))
        .toEqual(["succeeded", "succeeded"]);
      await expect.poll(() => steps.first().textContent()).toMatch(/1\. write the numbersDone, exit code 0, took \d/);
      await steps.nth(1).getByText("Output").click();
      await expect.poll(() => steps.nth(1).innerText()).toContain("number,square\n1,1\n2,4");
      const checks = page.getByTestId("check");
      await expect
        .poll(() => checks.evaluateAll((all) => all.map((each) => each.dataset["passed"])))
        .toEqual(["yes", "yes", "yes"]);
      await expect.poll(() => checks.last().innerText()).toContain('equals: "20,400"');
      await expect.poll(() => run().innerText()).toMatch(/What it left\s+table \d+ bytes\s+[0-9a-f]{64}/);
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
    await expect.poll(() => line.locator("bdi").textContent()).toBe(`"${TITLE}" is done, 3 of 3 checks passed`);
    await line.click();
    await expect.poll(() => page.getByRole("dialog").innerText()).toContain(`"work_item_id": "${TABLE_ID}"`);
    await page.keyboard.press("Escape");
    const told = (await cockpit.home.silas(["activity"])).out;
    expect(told).toContain(`"${TITLE}" is done, 3 of 3 checks passed`);
    expect(told).toContain(`Asked for a decision on "${TITLE}"`);
  });

  test("what runs long says where it is and what it printed last, everywhere and after a reload", async () => {
    await approve(LONG);
    await expect.poll(() => row().textContent()).toContain("Step 2 of 2: wait");
    await expect.poll(() => page.getByTestId("last-line").textContent()).toBe("it <b>waits</b>");
    await expect.poll(() => row().locator(".mono").textContent()).toMatch(/^0:\d\d:\d\d$/);
    await page.reload();
    await expect.poll(() => row().textContent()).toContain("Step 2 of 2: wait");
    await isSound();
    await page.goto(`${cockpit.url()}/activity`);
    await row().waitFor();
    await page.goto(`${cockpit.url()}/`);
    await page.getByTestId("running-line").click();
    await expect.poll(() => run().getAttribute("data-status")).toBe("running");
    await isSound();
  });

  test("after a while without news it says that it still works", async () => {
    const other = await opened.context.newPage();
    await other.clock.install();
    await openReview({ page: other }, cockpit);
    await other.getByTestId("last-line").waitFor();
    await other.clock.runFor(16_000);
    // Never after less than a quarter of a minute.
    await expect
      .poll(() => other.getByTestId("still-working").textContent())
      .toMatch(/^Still working, nothing new for (1[5-9]|[2-9]\d|\d{3,}) s$/);
    await other.close();
  });

  test("stop ends it at once; the page says so and keeps the focus", async () => {
    await openReview(opened, cockpit);
    await page.getByRole("button", { name: "Stop: Wait for a long time" }).press("Enter");
    await gone(row());
    const ran = page.getByTestId("decided").getByTestId("ran").first();
    await expect.poll(() => ran.textContent()).toBe("Stopped by you");
    await expect.poll(() => heardIn(page)).toContain("Wait for a long time: Stopped by you.");
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
    await ran.click();
    await expect.poll(() => page.getByTestId("outcome").textContent()).toContain("Stopped");
  });

  test("[INV-03] what nothing checked is said to be unchecked wherever it is shown", async () => {
    await approve(UNCHECKED);
    const ran = page.getByTestId("decided").getByTestId("ran").first();
    await expect.poll(() => ran.textContent()).toBe("Done, not checked");
    await ran.click();
    await expect.poll(() => page.getByTestId("outcome").textContent()).toContain("Done, not checked");
    await expect.poll(() => run().innerText()).toContain("nothing outside of it confirmed the result");
    await page.goto(`${cockpit.url()}/activity`);
    await page.getByText('"Say hello" is done, not checked by anything').waitFor();
  });

  test("the page of a run tells which hosts it reached, and how much went either way", async () => {
    const network = [{ host: "api.example.org:443", requests: 2, bytes_sent: 1, bytes_received: 340 }];
    await page.route(/\/api\/work\/(?!doubts$)[^/]+$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), network } });
    });
    await page.goto(`${cockpit.url()}/review`);
    await page.getByTestId("decided").getByTestId("ran").first().click();
    const told = "api.example.org:443 2 requests, 1 byte sent, 340 bytes received";
    await expect.poll(() => page.getByTestId("network").innerText()).toContain(told);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("[WORK-24] a gate asks before a step: the row leads to the card, which shows gate, value and call; signed there, the run goes on", async () => {
    await approve(ASKS);
    await expect.poll(() => row().getByRole("status").textContent()).toBe("Waits for your decision");
    await row().getByRole("link", { name: "Decide about the next step of: Pay the rent" }).click();
    const card = page.locator("article[data-card-type=step_approval]");
    await expect.poll(() => card.getByTestId("step-facts").innerText()).toMatch(/cap: 120/);
    await expect
      .poll(() => card.getByTestId("step-facts").innerText())
      .toContain('file_write {"content":"120","path":"paid.txt"}');
    await expect.poll(() => card.getByRole("heading", { level: 2 }).textContent()).toBe("Let step 1 run: pay");
    await page.setViewportSize(PHONE);
    await expect.poll(async () => [await faultsOf(page), await sidewaysOf(page)]).toEqual([[], 0]);
    await page.setViewportSize(DESKTOP);
    await card.locator("[data-testid=decide] button").first().click();
    await card.getByTestId("confirm").click();
    await expect.poll(async () => (await heardIn(page)).join("\n")).toMatch(/Its run goes on\.|Done, not checked\./);
    await gone(row());
    await page.goto(`${cockpit.url()}/activity`);
    await page.getByText('Approved "Let step 1 run: pay"').waitFor();
  });

  test("without a connection the last of it stays readable, and an unknown run is said to be unknown", async () => {
    await page.goto(`${cockpit.url()}/work/no-such-run`);
    await page.getByRole("heading", { name: "There is no such run" }).waitFor();
    await openReview(opened, cockpit);
    await page.getByTestId("decided").getByTestId("ran").first().click();
    await page.getByTestId("outcome").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    await untilKept(page, `/api/work/${page.url().split("/").at(-1)}`);
    await cockpit.stopServer();
    await page.reload();
    await expect.poll(() => page.getByTestId("outcome").textContent()).toContain("Done, not checked");
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

describe("what waits without a signature", () => {
  const missed = (title: string): Locator =>
    page.locator("article[data-card-type=missed_checks]").filter({ hasText: title });
  const badge = (): Locator => page.getByRole("navigation").getByTestId("review-badge").locator("visible=true");
  const inbox = (): Promise<Inbox> => cockpit.home.json<Inbox>(["inbox", "--json"]);

  test("missed checks and asked secrets are in the one number, and each answer takes one off it", async () => {
    await approve(goalPlan("goal-door", "The door answers"));
    await approve(goalPlan("goal-bell", "The bell answers"));
    await gone(badge());
    // As the scheduler leaves it where the settings say to ask.
    const database = databaseIn(cockpit.home.dir);
    // A goal is taken up by whoever runs work, a moment after it was approved.
    await expect.poll(() => database.prepare("SELECT goal_id FROM goals").all().length).toBe(2);
    expect(database.prepare("UPDATE goals SET missed_count = 2").run().changes).toBe(2);
    database.close();
    const guidance = { instructions: "", help_url: null };
    const asked = { ref_id: "mail", label: "The mail token", input_hint: null, guidance, host: null };
    await asTerminal(cockpit, "/api/secrets/ask", asked);
    await openReview(opened, cockpit);
    await expect.poll(() => badge().textContent()).toContain("3 waiting for you");
    await expect.poll(() => page.getByTestId("progress").textContent()).toBe("3 waiting for you");
    await expect.poll(() => page.title()).toMatch(/^\(3\) /);
    const terminal = (await cockpit.home.silas(["inbox"])).out;
    for (const part of ["2 missed checks: The door answers", "silas goals leave goal-bell", "silas secrets set mail"]) {
      expect(terminal).toContain(part);
    }
    await expect.poll(inbox).toMatchObject({ requests: [], doubts: [], inputs: [{ ref_id: "mail" }], count: 3 });
    await expect.poll(() => missed("The door").textContent()).toContain("2 checks were due while Silas could not look");
    await isSound();
    await missed("The door").getByRole("button", { name: "Check now: The door answers" }).click();
    await missed("The door").waitFor({ state: "detached" });
    await expect.poll(() => badge().textContent()).toContain("2 waiting for you");
    await missed("The bell").getByRole("button", { name: "Leave them: The bell answers" }).click();
    await missed("The bell").waitFor({ state: "detached" });
    await expect.poll(() => heardIn(page)).toContain("The bell answers: They are left.");
    await expect.poll(() => page.getByTestId("progress").textContent()).toBe("1 waiting for you");
    await asTerminal(cockpit, "/api/secrets/remove", { ref_id: "mail" });
    await gone(badge());
    expect((await inbox()).count).toBe(0);
    const looks = (id: string): Promise<Looks> => cockpit.home.json<Looks>(["goals", "show", id, "--json"]);
    await expect.poll(async () => (await looks("goal-door")).cycles.map(({ ended }) => ended)).toEqual(["healthy"]);
    expect((await looks("goal-bell")).cycles).toEqual([]);
  });
});
type Inbox = { readonly count: number };
type Looks = { readonly cycles: readonly { readonly ended: string }[] };
