/** What is carried out, as its owner sees it: a batch chosen, done, checked and taken back; work held and stopped. */
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UndoBody, WorkListBody } from "#model";
import { DESKTOP, PHONE, startCockpit, type Cockpit, type Opened } from "./browser.ts";
import { createHome, type Home } from "./cli-process.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { openReview, openSigner, proposePayload } from "./review-desk.ts";

const POLL = { timeout: 60_000 };
let cockpit: Cockpit;
let opened: Opened;
let page: Page;
/** Another place that never saw this Silas. */
let elsewhere: Home;
/** Where plans may reach: not the system's own folders, and not those of Silas. */
let outside: string;

beforeAll(async () => {
  cockpit = await startCockpit();
  elsewhere = createHome();
  outside = mkdtempSync("/var/tmp/silas-web-");
  opened = await openSigner(cockpit);
  page = opened.page;
});
afterAll(async () => {
  await cockpit.close();
  await elsewhere.remove();
  rmSync(outside, { recursive: true, force: true });
});

/** Nothing wider than the window on a desk and on a phone, and nothing serious. */
async function isSound(): Promise<void> {
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    expect(await sidewaysOf(page)).toBe(0);
  }
  expect(await faultsOf(page)).toEqual([]);
}

/** Asks the server as this page would. */
const asPage = <T>(method: "GET" | "POST", path: string): Promise<T> =>
  page.evaluate(
    async ([verb, address]) => {
      const headers = { authorization: `Bearer ${localStorage.getItem("silas.token")}` };
      const sent =
        verb === "GET"
          ? { headers }
          : { method: verb, headers: { ...headers, "content-type": "application/json" }, body: "{}" };
      return (await (await fetch(address, sent)).json()) as T;
    },
    [method, path] as const,
  );

const card = (): Locator => page.locator("article[data-card-type=batch_review]");
const after = (): Locator => page.getByTestId("after");

describe("a folder is tidied", () => {
  let folder: string;
  let before: readonly string[];

  test("what is usual is one row that is ticked, what is not stands alone with its reason and is not; the choice counts", async () => {
    folder = join(outside, "sample");
    const { request } = await cockpit.home.json<Tidied>(["tidy", "--sample", folder, "--propose", "--json"]);
    before = treeOf(folder);
    await page.setViewportSize(PHONE);
    await openReview(opened, cockpit, request.request_id);
    await card().waitFor();
    const flagged = card().getByTestId("batch").locator("label[data-flagged=yes]");
    const usual = card().getByTestId("usual");
    const unusual = await flagged.count();
    expect(unusual).toBeGreaterThan(0);
    for (const row of await flagged.all()) {
      expect(await row.getByRole("checkbox").isChecked()).toBe(false);
      expect((await row.textContent())?.length).toBeGreaterThan(20);
    }
    expect(await usual.getByRole("checkbox").isChecked()).toBe(true);
    expect(await usual.textContent()).toContain(`${10 - unusual} usual`);
    expect(await primary().textContent()).toBe(`Move ${10 - unusual} of 10 files`);
    expect((await card().getByTestId("card-body").boundingBox())?.height).toBeLessThanOrEqual(300);
    await isSound();
  });

  test("[BATCH-05] one is left out by hand or by key, and the row of the usual ones says so; a key takes it all back", async () => {
    const count = async (): Promise<string | null> => primary().textContent();
    const first = await count();
    await page.getByRole("button", { name: "Show each" }).click();
    const rows = card().getByTestId("batch-list").locator("label[data-batch-row]");
    await rows.first().getByRole("checkbox").focus();
    await page.keyboard.press("x");
    const box = card().getByTestId("usual").getByRole("checkbox");
    expect(await box.evaluate((each) => "indeterminate" in each && each.indeterminate)).toBe(true);
    expect(await card().getByTestId("selection-note").textContent()).toMatch(/^Selection changed\./);
    expect(await count()).not.toBe(first);
    await page.getByRole("button", { name: "None" }).click();
    expect(await card().getByTestId("selection-note").textContent()).toBe("Choose at least one, or decline.");
    expect(await card().locator("[data-primary]").count()).toBe(0);
    await page.getByRole("button", { name: "All", exact: true }).click();
    expect(await count()).toBe("Move 10 files");
    await page.keyboard.press("a");
    expect(await count()).toBe(first);
    await isSound();
  });

  test("approved, it is done and checked outside: the card says what was done, and the files are there", async () => {
    await primary().click();
    await card().getByTestId("confirm").click();
    await after().getByTestId("undo-button").waitFor();
    const moved = (await after().getByTestId("items-done").textContent()) ?? "";
    expect(moved).toMatch(/^Moved (\d+) of \1 files$/);
    expect(await after().getByTestId("verified").textContent()).toContain("Verified 2/2");
    const now = treeOf(folder);
    const there = now.filter((line) => !before.includes(line));
    expect(there).toHaveLength(Number(/\d+/.exec(moved)?.[0]));
    // The same bytes, elsewhere.
    expect(digestsOf(now)).toEqual(digestsOf(before));
    await isSound();
  });

  test("[UNDO-03] [RISK-06] the time to undo runs on over a reload; one tap puts every byte back, a second does nothing more", async () => {
    const left = async (): Promise<string> => (await after().getByTestId("undo-left").textContent()) ?? "";
    expect(await left()).toMatch(/^[45]:\d\d left$/);
    const [run] = (await asPage<WorkListBody>("GET", "/api/work")).runs;
    const id = run?.run.run_id ?? "";
    const until = (await asPage<{ readonly undo: UndoBody }>("GET", `/api/work/${id}`)).undo.until;
    await page.reload();
    await after().getByTestId("undo-button").waitFor();
    expect((await asPage<{ readonly undo: UndoBody }>("GET", `/api/work/${id}`)).undo.until).toBe(until);
    expect(await left()).toMatch(/^[0-5]:\d\d left$/);
    await after().getByTestId("undo-button").click();
    await expect
      .poll(() => after().getByTestId("items-done").textContent(), POLL)
      .toMatch(/^Put back (\d+) of \1 files$/);
    expect(treeOf(folder)).toEqual(before);
    expect(await after().getByTestId("undo-button").count()).toBe(0);
    const runs = (await asPage<WorkListBody>("GET", "/api/work")).runs.length;
    const again = await asPage<{ readonly undo: UndoBody }>("POST", `/api/work/${id}/undo`);
    expect(again.undo.state).toBe("used");
    expect((await asPage<WorkListBody>("GET", "/api/work")).runs).toHaveLength(runs);
    expect(treeOf(folder)).toEqual(before);
    await isSound();
  });

  test("Activity tells both, and the receipt is proven where Silas never was", async () => {
    const saved = page.waitForEvent("download");
    await after().getByRole("button", { name: "Receipt" }).click();
    const file = join(elsewhere.dir, "receipt.json");
    writeFileSync(file, readFileSync(await (await saved).path()));
    const verdict = await elsewhere.json<{ readonly valid: boolean }>(["approvals", "verify", file, "--json"]);
    expect(verdict.valid).toBe(true);
    await page.goto(`${cockpit.url()}/activity`);
    const told = page.locator("main button[data-seq] bdi");
    await expect.poll(async () => (await told.allTextContents()).join("\n"), POLL).toMatch(/2 of 2 checks passed/);
    const lines = (await told.allTextContents()).join("\n");
    expect(lines).toMatch(/approved 7 items of "Move files in sample"/);
    expect(lines).toMatch(/back 7 items of "Move files in sample"/);
  });
});

describe("a batch of many", () => {
  test("makes rows only for what is in sight, and its unusual ones beyond the third are one tap away", async () => {
    const { request_id: id } = await proposePayload(cockpit, manyItems(120, 5));
    await openReview(opened, cockpit, id);
    const rows = card().locator("label[data-batch-row]");
    await expect.poll(() => rows.count(), POLL).toBe(2);
    await card().getByRole("button", { name: "3 more to look at" }).click();
    await expect.poll(() => rows.count(), POLL).toBeGreaterThan(5);
    expect(await rows.count()).toBeLessThanOrEqual(20);
    expect(await primary().textContent()).toBe("Approve: archive, 115 of 120 items");
    await isSound();
    await card()
      .getByRole("button", { name: /^Decline/ })
      .click();
    await card().waitFor({ state: "detached" });
  });
});

/** The last ones are flagged. */
const manyItems = (count: number, flagged: number): object => ({
  kind: "batch_review",
  batch_id: "many",
  goal_id: "goal-many",
  action: "archive",
  params: null,
  items: Array.from({ length: count }, (_, index) => ({
    item_id: `mail-${index}`,
    title: `Newsletter ${index}`,
    actor: "news@letters.example",
    occurred_at: "2026-11-01T08:00:00.000Z",
    reason: "Not opened in a year",
    confidence: 0.9,
    ...(index >= count - flagged && { flags: ["not_seen_before"] }),
  })),
  reason_summary: "Nobody reads these",
  confidence_min: 0.9,
  created_at: "2026-11-15T08:00:00.000Z",
});

/** Goes on only when a file is there, so that a test knows where a run is. */
const waitFor = (name: string): string => `  - name: wait for ${name}
    tool: node_exec
    timeout: 600
    args:
      script: |
        import { existsSync } from "node:fs";
        console.log("waits for ${name}");
        const look = setInterval(() => {
          if (existsSync("${outside}/${name}")) clearInterval(look);
        }, 50);`;
const letGo = (name: string): void => writeFileSync(join(outside, name), "");

type Plan = { readonly id: string; readonly title: string; readonly keys: string };
function planFile({ id, title, keys }: Plan): string {
  const file = join(cockpit.home.dir, `${id}.md`);
  const [type] = id.split("-");
  writeFileSync(
    file,
    `---\nid: ${id}\ntype: ${type}\ntitle: ${title}\nskills: []\n${keys}\n---\n\n# What to do\n\n${title}.\n`,
  );
  return file;
}
const taskFile = (id: string, steps: readonly string[], more = ""): string =>
  planFile({
    id,
    title: `Work ${id}`,
    keys: `budget: { max_wall_time_seconds: 600, max_attempts: 1 }\nfiles: { read: [${outside}] }\nsteps:\n${steps.join("\n")}${more}`,
  });

/** Proposes in the terminal, approves in the page. */
async function approve(...files: readonly string[]): Promise<void> {
  const { request } = await cockpit.home.json<Asked>(["plan", "propose", ...files, "--json"]);
  await openReview(opened, cockpit, request.request_id);
  const shown = page.locator(`article[data-request="${request.request_id}"]`);
  await shown.locator("[data-primary]").click();
  if ((await shown.getAttribute("data-risk")) === "medium") await shown.getByTestId("confirm").click();
  else {
    await shown.getByRole("slider").press("End");
    await shown.getByRole("slider").press("Enter");
  }
  await shown.waitFor({ state: "detached" });
}
type Asked = { readonly request: { readonly request_id: string } };

const row = (title: string): Locator => page.getByTestId("run-row").filter({ hasText: title });

describe("work is held and stopped", () => {
  test("a run that is paused holds after its step, says so after a reload, and goes on when it is told", async () => {
    const title = "Work task-hold";
    await approve(taskFile("task-hold", [waitFor("first"), waitFor("second")]));
    await expect.poll(() => row(title).textContent(), POLL).toContain("Step 1 of 2");
    await row(title)
      .getByRole("button", { name: /^Pause/ })
      .click();
    await row(title).getByText("Pauses after this step").waitFor();
    letGo("first");
    await row(title)
      .getByRole("button", { name: /^Go on/ })
      .waitFor();
    expect(await row(title).textContent()).toContain("Paused");
    await page.reload();
    await row(title)
      .getByRole("button", { name: /^Go on/ })
      .waitFor();
    await isSound();
    await row(title)
      .getByRole("button", { name: /^Go on/ })
      .click();
    await expect.poll(() => row(title).textContent(), POLL).toContain("Step 2 of 2");
  });

  test("everything is stopped in two taps, on every surface it says so, and nothing begins until it is started again", async () => {
    await page.setViewportSize(DESKTOP);
    await page.getByRole("button", { name: "Stop everything" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop everything" }).click();
    const banner = page.getByTestId("stopped");
    await banner.waitFor();
    await expect.poll(() => page.getByTestId("run-row").count(), POLL).toBe(0);
    await page.goto(`${cockpit.url()}/tasks`);
    await banner.waitFor();
    await isSound();
    await approve(taskFile("task-later", ["  - { name: say, run: echo later }"]));
    await expect.poll(() => row("Work task-later").textContent(), POLL).toContain("Waits for its turn");
    await banner.getByRole("button", { name: "Start again" }).click();
    await banner.waitFor({ state: "detached" });
    const ran = page.getByTestId("decided").getByRole("listitem").filter({ hasText: "Work task-later" });
    await expect.poll(() => ran.getByTestId("ran").textContent(), POLL).toBe("Done, not checked");
  });
});

describe("a project", () => {
  test("shows its tasks in their order, what each waits for, and what was used of all of them", async () => {
    const first = taskFile("task-first", [waitFor("third")], "\nparent: project-both");
    const second = taskFile(
      "task-second",
      ["  - { name: say, run: echo done }"],
      "\nparent: project-both\ndepends_on: [task-first]",
    );
    const project = planFile({ id: "project-both", title: "Both", keys: "tasks: [task-first, task-second]" });
    await approve(project, first, second);
    await row("Both").getByRole("link").click();
    const tasks = page.getByTestId("project-task");
    await expect.poll(() => tasks.first().textContent(), POLL).toContain("Step 1 of 1");
    expect(await tasks.nth(1).textContent()).toContain("Waits for Work task-first");
    await isSound();
    letGo("third");
    await expect.poll(() => page.getByTestId("outcome").textContent(), POLL).toContain("Done");
    expect(await page.getByTestId("project-tasks").textContent()).toContain("2 of 2 done");
    expect(await page.getByTestId("budget").textContent()).toContain("Attempts");
  });
});

describe("a goal", () => {
  test("is listed once it is approved, is checked when it is asked, and is held and let go", async () => {
    const keys = [
      'schedule: "0 3 * * *"',
      "budget: { max_attempts: 1 }",
      "verify:",
      "  - { name: answers, run: echo good, expect: { contains: good } }",
    ];
    await approve(planFile({ id: "goal-answers", title: "It answers", keys: keys.join("\n") }));
    await page.goto(`${cockpit.url()}/goals`);
    const goal = page.locator("[data-goal=goal-answers]");
    await goal.waitFor();
    expect(await goal.textContent()).toContain("Not checked yet");
    await goal.getByRole("button", { name: "Check now: It answers" }).click();
    await expect.poll(() => goal.textContent(), POLL).toContain("Healthy, 1 of 1 checks passed");
    await isSound();
    await goal.getByRole("link", { name: "Show the goal: It answers" }).click();
    await expect.poll(() => page.getByTestId("cycle").first().getAttribute("data-ended"), POLL).toBe("healthy");
    await goal.getByRole("button", { name: "Pause: It answers" }).click();
    await expect.poll(() => goal.getByTestId("goal-status").textContent(), POLL).toContain("Paused");
    await isSound();
    await goal.getByRole("button", { name: "Go on with: It answers" }).click();
    await expect.poll(() => goal.getByTestId("goal-status").textContent(), POLL).toContain("Healthy");
  });
});

describe("a run in doubt", () => {
  test("is asked about after a crash: what may have happened and where to look; what is said of it is kept", async () => {
    const file = planFile({
      id: "task-doubt",
      title: "Append a line",
      keys: `budget: { max_wall_time_seconds: 600, max_attempts: 1 }\nfiles: { write: [${outside}] }\nsteps:\n${waitFor("never")}`,
    });
    await approve(file);
    await expect.poll(() => row("Append a line").textContent(), POLL).toContain("Step 1 of 1");
    const { pid } = JSON.parse(readFileSync(join(cockpit.home.dir, "data", "instance.json"), "utf8")) as Instance;
    process.kill(pid, "SIGKILL");
    await cockpit.stopServer();
    await cockpit.startServer();
    await openReview(opened, cockpit);
    const doubt = page.locator("article[data-card-type=doubt]");
    await doubt.waitFor();
    expect(await doubt.textContent()).toMatch(
      /Append a line.*Step 1, wait for never, was begun and its end was never seen/,
    );
    expect(await doubt.textContent()).toContain(outside);
    await isSound();
    await doubt.getByRole("button", { name: "Leave it" }).click();
    await doubt.waitFor({ state: "detached" });
    await page.getByTestId("decided").getByTestId("ran").first().click();
    await expect.poll(() => page.getByTestId("settlement").textContent(), POLL).toContain("You left it as it is.");
  });
});
type Instance = { readonly pid: number };

type Tidied = { readonly request: { readonly request_id: string } };
const primary = (): Locator => card().locator("[data-primary]");

/** Every file with its mode and the digest of its bytes. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
      return `${relative(folder, path)} ${lstatSync(path).mode.toString(8)} ${digest}`;
    })
    .toSorted();
}

const digestsOf = (tree: readonly string[]): readonly string[] =>
  tree.map((line) => line.slice(line.lastIndexOf(" "))).toSorted();

test("the page did not complain but about the server that was away", () => {
  expect(opened.complaints.filter((text) => !/Failed to load resource: net::|WebSocket/.test(text))).toEqual([]);
});
