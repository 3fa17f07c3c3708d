/** What holds on every surface: no accessibility fault, no sideways scroll, small files, one theme from the first frame. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { ROOT } from "./cli-process.ts";
import {
  DESKTOP,
  give,
  goBy,
  PHONE,
  SETTLED,
  startCockpit,
  untilSaved,
  untilSettled,
  type Cockpit,
  type Opened,
  gone,
} from "./browser.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";

const DIST = join(ROOT, "web", "dist");
let cockpit: Cockpit;
let opened: Opened;
let page: Page;
let taskId: string;
let repeatingId: string;

beforeAll(async () => {
  cockpit = await startCockpit();
  opened = await cockpit.open();
  page = opened.page;
});
afterAll(() => cockpit.close());

async function fill(): Promise<void> {
  const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
  const category = await give(page, { kind: "category.create", name: "Work", colour: 3 });
  taskId = await give(page, {
    kind: "task.create",
    title: `Prepare the review of the ${long}`,
    categoryId: category,
    dueDate: "2026-01-05",
    dueTime: "09:00",
    priority: 1,
    estimateMinutes: 90,
    labelNames: ["review", long.slice(0, 60)],
    items: ["figures", long],
  });
  repeatingId = await give(page, {
    kind: "task.create",
    title: "Water the plants",
    dueDate: "2030-01-05",
    repeat: { every: 2, unit: "week", weekdays: [1, 3], from: "done" },
  });
  const times = { startedAt: "2026-01-05T09:00:00.000Z", endedAt: "2026-01-05T10:00:00.000Z" };
  await give(page, { kind: "time.add", taskId, ...times, description: long, sourceEntryId: null });
  await give(page, { kind: "entry.create", form: "text", occurredAt: times.startedAt, text: `A note. ${long}` });
  await give(page, { kind: "plan.pin", planDate: "2026-01-05", taskIds: [taskId] });
  const block = { id: null, categoryId: null, taskId, startTime: times.startedAt, endTime: times.endedAt, note: "" };
  await give(page, { kind: "plan.blocks", planDate: "2026-01-05", upserts: [block], deletes: [] });
  await give(page, { kind: "rating.set", targetType: "day", targetId: "2026-01-05", value: 4, note: "" });
  await give(page, { kind: "timer.start", taskId, startedAt: new Date().toISOString(), description: "" });
}

const surfaces = (): readonly string[] => [
  "/",
  "/tasks",
  `/tasks/${taskId}`,
  `/tasks/${repeatingId}`,
  "/day/2026-01-05",
  "/journal",
  "/goals",
  "/memory",
  "/talk",
  "/activity",
  "/review",
  "/settings",
];

async function visit(path: string): Promise<void> {
  await page.goto(cockpit.url() + path);
  await page.locator("[data-connection=online]").waitFor();
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await untilSettled(page);
}

const SMALL_TARGETS = `[...document.querySelectorAll("main button, main select, main input, nav a, nav button, header a, header button")]
  .map((each) => each.closest("label") ?? each)
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().height > 1)
  .filter((each) => each.getBoundingClientRect().height < 43.5 || each.getBoundingClientRect().width < 43.5)
  .map((each) => each.outerHTML.slice(0, 160))`;

describe("every surface", () => {
  test("the first screen has no accessibility fault in either theme", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await visit("/");
      await page.getByRole("heading", { name: "Works now" }).waitFor();
      await page.getByRole("heading", { name: "Needs a model" }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
    }
    await fill();
  });

  test.each([
    { theme: "light", viewport: PHONE },
    { theme: "dark", viewport: DESKTOP },
  ] as const)("axe finds nothing serious in $theme at $viewport.width px", async ({ theme, viewport }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const path of surfaces()) {
      await visit(path);
      expect(await faultsOf(page), path).toEqual([]);
    }
    for (const open of ["q", "?", "Control+k"]) {
      await page.keyboard.press(open);
      await page.locator("dialog[open]").waitFor();
      expect(await faultsOf(page), open).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("dialog[open]").waitFor({ state: "detached" });
    }
  });

  test("nothing scrolls sideways at 320, 375 and 430 px, also with long words", async () => {
    const widths = [320, 375, 430];
    const expectNone = async (where: string): Promise<void> => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 740 });
        expect(await sidewaysOf(page), `${where} at ${width}`).toBe(0);
      }
    };
    for (const path of surfaces()) {
      await visit(path);
      await expectNone(path);
    }
    await page.keyboard.press("q");
    await page.getByRole("textbox", { name: "Capture" }).fill("call Ana tomorrow 9 #home !2 est 30m @work every week");
    await expectNone("capture");
    await page.keyboard.press("Escape");
  });

  test("what is meant for a finger is at least 44 px in both directions on a phone", async () => {
    const phone = await cockpit.open({ viewport: PHONE });
    for (const path of surfaces()) {
      await phone.page.goto(cockpit.url() + path);
      await phone.page.getByRole("heading", { level: 1 }).first().waitFor();
      await phone.page.locator("[data-connection=online]").waitFor();
      await untilSettled(phone.page);
      expect(await phone.page.evaluate<readonly string[]>(SMALL_TARGETS), path).toEqual([]);
    }
    await phone.context.close();
  });

  test("the page never complained, not even about its own policy", () => {
    expect(opened.complaints).toEqual([]);
  });
});

/** Presses a key as soon as something is in the page, before it is painted. */
const pressOnce = (key: string, seen: string): string => `
  new MutationObserver((_, observer) => {
    if (document.querySelector(${JSON.stringify(seen)}) === null) return;
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: ${JSON.stringify(key)}, bubbles: true }));
  }).observe(document, { subtree: true, childList: true });`;

describe("the keyboard alone", () => {
  test("Escape closes a sheet and the focus is where it was", async () => {
    await page.setViewportSize(DESKTOP);
    await visit("/");
    const opener = page.getByRole("button", { name: "Write a note" });
    for (const key of ["Enter", "?", "Control+k", "/"]) {
      await opener.focus();
      await page.keyboard.press(key);
      await page.locator("dialog[open] :focus").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("dialog[open]").waitFor({ state: "detached" });
      await expect.poll(() => opener.evaluate((each) => each.matches(":focus")), { message: key }).toBe(true);
    }
  });

  test.each([
    { key: "q", at: "/", seen: "main h1", brings: "dialog[open] textarea" },
    { key: "j", at: "/tasks", seen: "[data-task-link]", brings: "[data-task-link]:focus" },
  ])("$key counts from the moment in which $seen is there", async ({ key, at, seen, brings }) => {
    const early = await opened.context.newPage();
    await early.addInitScript(pressOnce(key, seen));
    await early.goto(cockpit.url() + at);
    await early.locator(brings).first().waitFor();
    await early.close();
  });

  test("goes everywhere, captures, finds, concludes, reorders and undoes; its letters can be turned off", async () => {
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await visit("/");
    for (const [key, path] of [
      ["t", "/tasks"],
      ["d", "/day"],
      ["j", "/journal"],
      ["o", "/goals"],
      ["m", "/memory"],
      ["k", "/talk"],
      ["a", "/activity"],
      ["r", "/review"],
      ["h", "/"],
    ] as const) {
      await goBy(page, { key, to: new RegExp(`^${cockpit.url()}${path}$`) });
    }
    for (const title of ["Keyboard one", "Keyboard two"]) {
      await page.keyboard.press("q");
      await page.locator("textarea:focus").waitFor();
      await page.keyboard.type(title);
      await page.keyboard.press("Enter");
      await page.locator("dialog[open]").waitFor({ state: "detached" });
    }
    await untilSaved(page);
    await goBy(page, { key: "t", to: /\/tasks$/ });
    const links = page.locator("[data-task-link]");
    await links.first().waitFor();
    const order = (): Promise<readonly string[]> => links.allTextContents();
    await expect.poll(order).toEqual(expect.arrayContaining(["Keyboard one", "Keyboard two"]));
    await page.keyboard.press("j");
    await page.locator("[data-task-link]:focus").waitFor();
    const before = await order();
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(order).toEqual([before[1], before[0], ...before.slice(2)]);
    await untilSaved(page);
    const first = page.locator("[data-task]").filter({ hasText: before[0] ?? "" });
    await expect.poll(() => first.locator("[data-task-link]:focus").count()).toBe(1);
    await page.keyboard.press("x");
    await gone(first);
    await untilSaved(page);
    await page.keyboard.press("u");
    await expect.poll(order).toContain(before[0]);
    await page.evaluate(
      `localStorage.setItem("silas.preferences", JSON.stringify({ theme: "system", singleKeys: "off" }))`,
    );
    await visit("/");
    await page.keyboard.press("q");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    expect(await page.locator("dialog[open] textarea").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.evaluate(`localStorage.removeItem("silas.preferences")`);
  });
});

describe("the first moment", () => {
  test("a chosen theme is there before the first paint, whatever the system says", async () => {
    await visit("/settings");
    await page.getByRole("radio", { name: "Dark" }).check();
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${cockpit.url()}/tasks`, { waitUntil: "commit" });
    await page.locator("html[data-theme=dark]").waitFor({ state: "attached" });
    const colour = await page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    expect(["rgb(16, 19, 24)", "rgba(0, 0, 0, 0)"]).toContain(colour);
    await visit("/tasks");
    await expect.poll(() => page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(16, 19, 24)");
    await page.goto(`${cockpit.url()}/settings`, SETTLED);
    await page.getByRole("radio", { name: "As the system" }).check();
  });

  test("[PWA-01] the build passes what installation asks for: manifest, icons, a worker that keeps the shell", async () => {
    const manifest = JSON.parse(readFileSync(join(DIST, "manifest.webmanifest"), "utf8")) as {
      readonly icons: readonly { readonly src: string; readonly sizes: string; readonly purpose?: string }[];
      readonly [name: string]: unknown;
    };
    expect(manifest).toMatchObject({ name: "Silas", start_url: "/", display: "standalone" });
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(["192x192", "512x512"]));
    expect(manifest.icons.some(({ purpose }) => purpose === "maskable")).toBe(true);
    for (const { src } of manifest.icons) expect(existsSync(join(DIST, src))).toBe(true);
    const session = await opened.context.newCDPSession(page);
    // A private window is the only thing in the way here.
    const inTheWay = async (): Promise<readonly string[]> =>
      (await session.send("Page.getInstallabilityErrors")).installabilityErrors
        .map(({ errorId }) => errorId)
        .filter((each) => each !== "in-incognito");
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    expect(await inTheWay()).toEqual([]);
    expect(readFileSync(join(DIST, "sw.js"), "utf8")).toContain("index.html");
  });
});

describe("sizes", () => {
  const assets = (): readonly string[] => readdirSync(join(DIST, "assets")).filter((name) => !/\.(br|gz)$/.test(name));
  const zipped = (name: string): number => gzipSync(readFileSync(join(DIST, "assets", name)), { level: 9 }).length;
  const initial = (): readonly string[] => {
    const html = readFileSync(join(DIST, "index.html"), "utf8");
    return [...html.matchAll(/\/assets\/([^"]+)/g)].map(([, name]) => name ?? "");
  };
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + zipped(name), 0);

  test("the first load is at most 180 KB of script, 20 KB of style and 60 KB of type", () => {
    const scripts = sum(initial().filter((name) => name.endsWith(".js")));
    const styles = sum(initial().filter((name) => name.endsWith(".css")));
    const faces = assets().filter((name) => name.endsWith(".woff2") && !name.startsWith("newsreader"));
    const type = faces.reduce((total, name) => total + statSync(join(DIST, "assets", name)).size, 0);
    expect(scripts).toBeGreaterThan(0);
    expect(scripts).toBeLessThanOrEqual(180 * 1024);
    expect(styles).toBeLessThanOrEqual(20 * 1024);
    expect(type).toBeLessThanOrEqual(60 * 1024);
  });

  test("every part that is loaded later is at most 60 KB", () => {
    const later = assets().filter((name) => name.endsWith(".js") && !initial().includes(name));
    expect(later.filter((name) => zipped(name) > 60 * 1024)).toEqual([]);
  });
});
