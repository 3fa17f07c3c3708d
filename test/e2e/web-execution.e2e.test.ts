/** What is carried out, as its owner sees it: a batch chosen, done, checked and taken back; work held and stopped. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UndoBody, WorkListBody } from "#model";
import { manyItems, whereTo } from "./batch-texts.ts";
import { DESKTOP, gone, PHONE, startCockpit, untilSettled, type Cockpit, type Opened } from "./browser.ts";
import { createHome, type Home } from "./cli-process.ts";
import { digestsOf, treeOf } from "./file-tree.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { openReview, openSigner, proposePayload, showWork } from "./review-desk.ts";

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

  test("[FATIGUE-02] [PWA-06] what is usual is one row that is ticked, what is not stands alone with its reason and is not; the choice counts", async () => {
    folder = join(outside, "sample");
    const { request } = await cockpit.home.json<Tidied>(["tidy", "--sample", folder, "--propose", "--json"]);
    before = treeOf(folder);
    await page.setViewportSize(PHONE);
    await openReview(opened, cockpit, request.request_id);
    await card().waitFor();
    const flagged = card().getByTestId("batch").locator("label[data-flagged=yes]");
    const usual = card().getByTestId("usual");
    await expect.poll(() => flagged.count()).toBeGreaterThan(0);
    const unusual = await flagged.count();
    for (const row of await flagged.all()) {
      expect(await row.getByRole("checkbox").isChecked()).toBe(false);
      await expect.poll(async () => (await row.textContent())?.length).toBeGreaterThan(20);
      await expect.poll(() => row.locator("svg.lucide-triangle-alert").isVisible()).toBe(true);
    }
    await expect.poll(() => usual.getByRole("checkbox").isChecked()).toBe(true);
    await expect.poll(() => usual.textContent()).toContain(`${10 - unusual} usual`);
    await expect.poll(() => primary().textContent()).toBe(`Move ${10 - unusual} of 10 files`);
    await untilSettled(page);
    expect((await card().getByTestId("card-body").boundingBox())?.height).toBeLessThanOrEqual(300);
    await isSound();
  });

  test("[BATCH-05] [FATIGUE-02] one is left out by hand or by key, and the row of the usual ones says so; a key takes it all back", async () => {
    const count = async (): Promise<string | null> => primary().textContent();
    const first = await count();
    await page.getByRole("button", { name: "Show each" }).click();
    const rows = card().getByTestId("batch-list").locator("label[data-batch-row]");
    await rows.first().waitFor();
    for (const row of await rows.all()) {
      const isUnusual = (await row.getAttribute("data-flagged")) === "yes";
      await expect.poll(() => row.getByRole("checkbox").isChecked()).toBe(!isUnusual);
    }
    await rows.first().getByRole("checkbox").focus();
    await page.keyboard.press("x");
    const box = card().getByTestId("usual").getByRole("checkbox");
    await expect.poll(() => box.evaluate((each) => "indeterminate" in each && each.indeterminate)).toBe(true);
    await expect.poll(() => card().getByTestId("selection-note").textContent()).toMatch(/^Selection changed\./);
    await expect.poll(count).not.toBe(first);
    await page.getByRole("button", { name: "None" }).click();
    await expect
      .poll(() => card().getByTestId("selection-note").textContent())
      .toBe("Choose at least one, or decline.");
    await gone(card().locator("[data-primary]"));
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect.poll(count).toBe("Move 10 files");
    await page.keyboard.press("a");
    await expect.poll(count).toBe(first);
    await isSound();
  });

  test("[PWA-11] approved, it is done and checked outside: the card says what was done, and the files are there", async () => {
    await primary().click();
    await card().getByTestId("confirm").click();
    await after().getByTestId("undo-button").waitFor();
    const done = async (): Promise<string> => (await after().getByTestId("items-done").textContent()) ?? "";
    await expect.poll(done).toMatch(/^Moved (\d+) of \1 files$/);
    await expect.poll(() => after().getByTestId("verified").textContent()).toContain("Verified 2/2");
    const now = treeOf(folder);
    const there = now.filter((line) => !before.includes(line));
    expect(there).toHaveLength(Number(/\d+/.exec(await done())?.[0]));
    // The same bytes, elsewhere.
    expect(digestsOf(now)).toEqual(digestsOf(before));
    await showWork(page, ({ undo, ...rest }) => ({ ...rest, undo: { ...undo, state: "over", until: null } }));
    await after().getByText("Undo closed").waitFor();
    expect(await after().getByTestId("undo-button").count()).toBe(0);
    await page.unrouteAll({ behavior: "wait" });
    await page.reload();
    await isSound();
  });

  test("[UNDO-03] [RISK-06] the time to undo runs on over a reload; one tap puts every byte back, a second does nothing more", async () => {
    const left = async (): Promise<string> => (await after().getByTestId("undo-left").textContent()) ?? "";
    await expect.poll(left).toMatch(/^[0-5]:\d\d left$/);
    const [run] = (await asPage<WorkListBody>("GET", "/api/work")).runs;
    const id = run?.run.run_id ?? "";
    const until = (await asPage<{ readonly undo: UndoBody }>("GET", `/api/work/${id}`)).undo.until;
    await page.reload();
    await after().getByTestId("undo-button").waitFor();
    expect((await asPage<{ readonly undo: UndoBody }>("GET", `/api/work/${id}`)).undo.until).toBe(until);
    await expect.poll(left).toMatch(/^[0-5]:\d\d left$/);
    await after().getByTestId("undo-button").click();
    await expect.poll(() => after().getByTestId("items-done").textContent()).toMatch(/^Put back (\d+) of \1 files$/);
    expect(treeOf(folder)).toEqual(before);
    await after().getByTestId("undo-button").waitFor({ state: "detached" });
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
    for (const line of [
      /2 of 2 checks passed/,
      /approved 7 items of "Move files in sample"/,
      /back 7 items of "Move/,
    ]) {
      await expect.poll(async () => (await told.allTextContents()).join("\n")).toMatch(line);
    }
  });
});

describe("a batch of many", () => {
  test("makes rows only for what is in sight, and its unusual ones beyond the third are one tap away", async () => {
    const { request_id: id } = await proposePayload(cockpit, manyItems(120, 5));
    await openReview(opened, cockpit, id);
    const rows = card().locator("label[data-batch-row]");
    await expect.poll(() => rows.count()).toBe(2);
    await card().getByRole("button", { name: "3 more to look at" }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(5);
    await untilSettled(page);
    expect(await rows.count()).toBeLessThanOrEqual(20);
    await expect.poll(() => primary().textContent()).toBe("Approve: archive 115 of 120 items");
    await isSound();
    await card()
      .getByRole("button", { name: /^Decline/ })
      .click();
    await card().waitFor({ state: "detached" });
  });
});

describe("a question about one file", () => {
  test("[BATCH-03] offers nothing until a place is chosen; the chosen one is signed and done, and can be undone", async () => {
    const folder = join(outside, "question");
    mkdirSync(folder);
    writeFileSync(join(folder, "x.ts"), "film or code");
    const { request_id: id } = await proposePayload(cockpit, whereTo(folder));
    await openReview(opened, cockpit, id);
    const places = card().getByRole("radio");
    await expect.poll(() => places.count()).toBe(2);
    await untilSettled(page);
    expect(await card().locator("[data-primary]").count()).toBe(0);
    await expect
      .poll(() => card().getByTestId("selection-note").textContent())
      .toBe("Choose a place, or leave it where it is.");
    await places.first().check();
    await places.nth(1).check();
    expect(await places.first().isChecked()).toBe(false);
    await expect.poll(() => primary().textContent()).toBe("Move it there");
    await isSound();
    await primary().click();
    await card().getByTestId("confirm").click();
    await after().getByTestId("undo-button").waitFor();
    expect(treeOf(folder).join()).toContain("Video/x.ts");
  });
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
    await expect.poll(() => row(title).textContent()).toContain("Step 1 of 2");
    await row(title)
      .getByRole("button", { name: /^Pause/ })
      .click();
    await row(title).getByText("Pauses after this step").waitFor();
    letGo("first");
    await row(title)
      .getByRole("button", { name: /^Go on/ })
      .waitFor();
    await row(title).getByText("Paused").waitFor();
    await page.reload();
    await row(title)
      .getByRole("button", { name: /^Go on/ })
      .waitFor();
    await isSound();
    await row(title)
      .getByRole("button", { name: /^Go on/ })
      .click();
    await expect.poll(() => row(title).textContent()).toContain("Step 2 of 2");
  });

  test("everything is stopped in two taps, on every surface it says so, and nothing begins until it is started again", async () => {
    await page.setViewportSize(DESKTOP);
    await page.getByRole("button", { name: "Stop everything" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop everything" }).click();
    const banner = page.getByTestId("stopped");
    await banner.waitFor();
    await gone(page.getByTestId("run-row"));
    await page.goto(`${cockpit.url()}/tasks`);
    await banner.waitFor();
    await isSound();
    await approve(taskFile("task-later", ["  - { name: say, run: echo later }"]));
    await expect.poll(() => row("Work task-later").textContent()).toContain("Waits for its turn");
    await banner.getByRole("button", { name: "Start again" }).click();
    await banner.waitFor({ state: "detached" });
    const ran = page.getByTestId("decided").getByRole("listitem").filter({ hasText: "Work task-later" });
    await expect.poll(() => ran.getByTestId("ran").textContent()).toBe("Done, not checked");
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
    await expect.poll(() => tasks.first().textContent()).toContain("Step 1 of 1");
    await expect.poll(() => tasks.nth(1).textContent()).toContain("Waits for Work task-first");
    await isSound();
    letGo("third");
    await expect.poll(() => page.getByTestId("outcome").textContent()).toContain("Done");
    await expect.poll(() => page.getByTestId("project-tasks").textContent()).toContain("2 of 2 done");
    await expect.poll(() => page.getByTestId("budget").textContent()).toContain("Attempts");
  });
});

describe("a goal", () => {
  test("is listed once it is approved, is checked when it is asked, and is held and let go", async () => {
    const keys = [
      'schedule: "0 3 1 1 *"',
      "budget: { max_attempts: 1 }",
      "verify:",
      "  - { name: answers, run: echo good, expect: { contains: good } }",
    ];
    await approve(planFile({ id: "goal-answers", title: "It answers", keys: keys.join("\n") }));
    await page.goto(`${cockpit.url()}/goals`);
    const goal = page.locator("[data-goal=goal-answers]");
    await goal.waitFor();
    await expect.poll(() => goal.textContent()).toContain("Not checked yet");
    await goal.getByRole("button", { name: "Check now: It answers" }).click();
    await expect.poll(() => goal.textContent()).toContain("Well, 1 of 1 checks passed");
    await isSound();
    await goal.getByRole("link", { name: "Show the goal: It answers" }).click();
    await expect.poll(() => page.getByTestId("cycle").first().getAttribute("data-ended")).toBe("healthy");
    await goal.getByRole("button", { name: "Pause: It answers" }).click();
    await expect.poll(() => goal.getByTestId("goal-status").textContent()).toContain("Paused");
    await isSound();
    await goal.getByRole("button", { name: "Go on with: It answers" }).click();
    await expect.poll(() => goal.getByTestId("goal-status").textContent()).toContain("Well");
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
    // Only the program itself says so: what the row has before that is also there while its sandbox is made.
    await expect.poll(() => row("Append a line").getByTestId("last-line").textContent()).toBe("waits for never");
    const { pid } = JSON.parse(readFileSync(join(cockpit.home.dir, "data", "instance.json"), "utf8")) as Instance;
    process.kill(pid, "SIGKILL");
    await cockpit.stopServer();
    await cockpit.startServer();
    await openReview(opened, cockpit);
    const doubt = page.locator("article[data-card-type=doubt]");
    await doubt.waitFor();
    await expect
      .poll(() => doubt.textContent())
      .toMatch(/Append a line.*Step 1, wait for never, was begun and its end was never seen/);
    await expect.poll(() => doubt.textContent()).toContain(outside);
    await isSound();
    await doubt.getByRole("button", { name: "Leave it" }).click();
    await doubt.waitFor({ state: "detached" });
    await page.getByTestId("decided").getByTestId("ran").first().click();
    await expect.poll(() => page.getByTestId("settlement").textContent()).toContain("You left it as it is.");
  });
});
type Instance = { readonly pid: number };

type Tidied = { readonly request: { readonly request_id: string } };
const primary = (): Locator => card().locator("[data-primary]");

test("the page did not complain but about the server that was away", () => {
  expect(opened.complaints.filter((text) => !/Failed to load resource: net::|WebSocket/.test(text))).toEqual([]);
});
