/** Fields: whatever opens one puts the keys into it, and a title holds one line however it was typed. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { ROOT } from "./cli-process.ts";
import {
  give,
  heldAt,
  startCockpit,
  titlesOf,
  untilFocused,
  untilSaved,
  untilSettled,
  type Cockpit,
  type Opened,
} from "./browser.ts";

const DAY = "2031-03-04";
const TIMES = { startedAt: "2026-01-06T08:00:00.000Z", endedAt: "2026-01-06T09:00:00.000Z" };

let cockpit: Cockpit;
let opened: Opened;
let page: Page;
let task: string;
/** What the page wrote, by kind. */
const written: string[] = [];

beforeAll(async () => {
  cockpit = await startCockpit();
  opened = await cockpit.open();
  page = opened.page;
  page.on("request", (request) => {
    if (!request.url().endsWith("/api/journal/command")) return;
    written.push((request.postDataJSON() as { readonly command: { readonly kind: string } }).command.kind);
  });
  task = await give(page, { kind: "task.create", title: "Has every field", items: ["figures"] });
  await give(page, { kind: "time.add", taskId: task, ...TIMES, description: "worked", sourceEntryId: null });
  await give(page, { kind: "entry.create", form: "text", occurredAt: TIMES.startedAt, text: "a note to change" });
});
afterAll(() => cockpit.close());

const press = (name: string | RegExp) => (): Promise<void> =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .locator("visible=true")
    .first()
    .click();
const choose = (article: string, name: string) => async (): Promise<void> => {
  await page.locator("article", { hasText: article }).getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name }).click();
};
const key = (name: string) => (): Promise<void> => page.keyboard.press(name);

type Opener = {
  readonly name: string;
  readonly path: () => string;
  /** What is there before anything is pressed. */
  readonly ready: () => Locator;
  readonly open: () => Promise<void>;
  readonly field: () => Locator;
  /** The source of the field. */
  readonly file: string;
};
const onTask = { path: () => `/tasks/${task}`, ready: () => page.getByRole("button", { name: "Add checklist" }) };
const onDay = { path: () => `/day/${DAY}`, ready: () => page.getByRole("button", { name: "Add block" }) };
const onJournal = { path: () => "/journal", ready: () => page.locator("article", { hasText: "a note to change" }) };
const onTasks = { path: () => "/tasks", ready: () => page.locator("[data-task-link]").first() };

/** Every control that makes a field appear. */
const OPENERS: readonly Opener[] = [
  {
    name: "Add checklist",
    ...onTask,
    open: press("Add checklist"),
    field: () => page.getByLabel("Checklist title").last(),
    file: "tasks/checklists.tsx",
  },
  {
    name: "Add time after the fact",
    ...onTask,
    open: press("Add time after the fact"),
    field: () => page.getByLabel("Date"),
    file: "tasks/task-time.tsx",
  },
  {
    name: "Edit time entry",
    ...onTask,
    open: press(/^Edit time entry/),
    field: () => page.getByLabel("Start", { exact: true }),
    file: "tasks/time-editor.tsx",
  },
  {
    name: "Add note",
    ...onTask,
    open: press("Add note"),
    field: () => page.getByLabel("Write a note about this task"),
    file: "tasks/task-entries.tsx",
  },
  {
    name: "Link something",
    ...onTask,
    open: press("Link something"),
    field: () => page.getByLabel("Find a task or note to link"),
    file: "tasks/task-links.tsx",
  },
  {
    name: "Follow up",
    ...onTask,
    open: press("Follow up"),
    field: () => page.getByLabel("Title of the follow-up"),
    file: "tasks/follow-up.tsx",
  },
  {
    name: "Manage categories",
    ...onTasks,
    open: press("Manage categories"),
    field: () => page.getByLabel("Name").last(),
    file: "tasks/categories.tsx",
  },
  {
    name: "Capture",
    ...onTasks,
    open: key("q"),
    field: () => page.getByRole("textbox", { name: "Capture" }),
    file: "capture/capture.tsx",
  },
  {
    name: "search",
    ...onTasks,
    open: key("/"),
    field: () => page.locator("[cmdk-input]"),
    file: "palette/palette.tsx",
  },
  {
    name: "Add block",
    ...onDay,
    open: press("Add block"),
    field: () => page.getByLabel("What for"),
    file: "day/block-editor.tsx",
  },
  {
    name: "Edit note, from a menu",
    ...onJournal,
    open: choose("a note to change", "Edit note"),
    field: () => page.getByLabel("Edit note"),
    file: "journal/journal-row.tsx",
  },
  {
    name: "Edit time entry, from a menu",
    ...onJournal,
    open: choose("worked", "Edit time entry"),
    field: () => page.getByLabel("Start", { exact: true }),
    file: "tasks/time-editor.tsx",
  },
  {
    name: "the letter e on a task",
    ...onTasks,
    open: async () => {
      await page.locator(`[data-task-link="${task}"]`).focus();
      await page.keyboard.press("e");
    },
    field: () => page.getByRole("textbox", { name: "Title", exact: true }),
    file: "tasks/task-values.tsx",
  },
];

/** Fields that stand on their page or card from the beginning, or appear under a field that has the focus. */
const STANDING = new Set([
  "day/day.tsx",
  "day/pinned.tsx",
  "journal/note-composer.tsx",
  "memory/memory-composer.tsx",
  "memory/memory.tsx",
  "parts/editable-text.tsx",
  "parts/field.tsx",
  "parts/rating-scale.tsx",
  "review/ask/answer-form.tsx",
  "review/batch/batch-body.tsx",
  "review/batch/item-row.tsx",
  "review/ladder/slider.tsx",
  "secrets/secure-input-card.tsx",
  "settings/data.tsx",
  "settings/settings.tsx",
  "talk/composer.tsx",
  "tasks/repeat-field.tsx",
  "tasks/task-fields.tsx",
  "tasks/task-labels.tsx",
  "tasks/task-select.tsx",
  "tasks/tasks.tsx",
]);

describe("a control that opens a field", () => {
  test("is in the list above, for every source with a field", () => {
    const source = join(ROOT, "web", "src");
    const field = /<(Input|Area|Select|input|textarea|select|EditableText|Command\.Input)\b/;
    const withFields = globSync("**/*.tsx", { cwd: source, exclude: (name) => name.endsWith(".test.tsx") })
      .filter((name) => field.test(readFileSync(join(source, name), "utf8")))
      .toSorted();
    expect(withFields).toEqual([...new Set([...STANDING, ...OPENERS.map(({ file }) => file)])].toSorted());
  });

  test.each(OPENERS)("$name: the keys go into the field, and none of them is a shortcut", async (opener) => {
    await page.goto(cockpit.url() + opener.path());
    await opener.ready().waitFor();
    await untilSaved(page);
    written.length = 0;
    await opener.open();
    await untilFocused(opener.field());
    await page.keyboard.type("uex");
    await page.keyboard.press("Escape");
    await untilSaved(page);
    expect(written).not.toContain("undo");
    expect(written).not.toContain("task.conclude");
  });

  test("that takes a while to come: what is typed meanwhile undoes and concludes nothing", async () => {
    await page.goto(`${cockpit.url()}/tasks/${task}`);
    const add = page.getByRole("button", { name: "Add checklist" });
    await add.waitFor();
    await untilSaved(page);
    written.length = 0;
    const held = await heldAt(page, "**/api/journal/command");
    await add.click();
    await held.arrived;
    await page.keyboard.type("ueq");
    held.release();
    await untilFocused(page.getByLabel("Checklist title").last());
    await page.keyboard.type("Groceries");
    await page.keyboard.press("Enter");
    await untilFocused(page.getByLabel("Add an item").last());
    await page.keyboard.type("butter");
    await page.keyboard.press("Enter");
    await untilSaved(page);
    await page.getByLabel("Item butter").first().waitFor();
    expect(written).toEqual(["checklist.create", "checklist.update", "item.add"]);
    await expect.poll(() => page.getByLabel("Checklist title").last().inputValue()).toBe("Groceries");
  });

  test("that loads first: letters typed before the search is there do nothing", async () => {
    // Nothing is kept ready here, so that the part of the page with the search has to be asked for.
    const context = await cockpit.openStranger({ serviceWorkers: "block" });
    const fresh = await context.newPage();
    const asked: string[] = [];
    fresh.on("request", (request) => void (request.method() === "POST" && asked.push(request.postData() ?? "")));
    await fresh.goto(await cockpit.link());
    await fresh.locator("[data-connection=online]").waitFor();
    await fresh.goto(`${cockpit.url()}/tasks`);
    await fresh.locator(`[data-task-link="${task}"]`).waitFor();
    await untilSettled(fresh);
    const held = await heldAt(fresh, "**/assets/palette-*.js");
    await fresh.keyboard.press("/");
    await held.arrived;
    asked.length = 0;
    await fresh.keyboard.type("uq");
    held.release();
    await untilFocused(fresh.locator("[cmdk-input]"));
    expect(asked).toEqual([]);
    await context.close();
  });
});

describe("a title", () => {
  test("is saved by Enter and holds no line break, typed or pasted", async () => {
    const id = await give(page, { kind: "task.create", title: "One line", items: ["point"] });
    await page.goto(`${cockpit.url()}/tasks/${id}`);
    const title = page.getByRole("textbox", { name: "Title", exact: true });
    await title.click();
    await page.keyboard.press("End");
    await page.keyboard.type(" and more");
    await page.keyboard.press("Enter");
    await untilSaved(page);
    expect(await titlesOf(cockpit.home, "open")).toContain("One line and more");
    await title.fill("pasted\nin two lines");
    await title.press("Enter");
    await untilSaved(page);
    expect(await titlesOf(cockpit.home, "open")).toContain("pasted in two lines");
    const item = page.getByRole("textbox", { name: "Item point" });
    await item.click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await untilSaved(page);
    await expect.poll(() => item.inputValue()).toBe("point");
  });
});
