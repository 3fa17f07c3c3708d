/** The page as its owner uses it, at the size of a phone and of a desk. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import {
  DESKTOP,
  give,
  heardIn,
  keepToasts,
  PHONE,
  SETTLED,
  startCockpit,
  titlesOf,
  untilSaved,
  type Cockpit,
  type Opened,
} from "./browser.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

const SIZES = [
  { name: "375 px", viewport: PHONE },
  { name: "1280 px", viewport: DESKTOP },
] as const;

const row = (page: Page, title: string) => page.getByTestId("task-list").locator("[data-task]", { hasText: title });
const toast = (page: Page, text: string | RegExp) => page.getByRole("listitem").filter({ hasText: text });

/** True when the line of the present, or the first block, stands within the part of the hours that is shown. */
const IN_SIGHT = `(() => {
  const at = document.querySelector("[data-testid=now], [data-block]").getBoundingClientRect();
  const box = document.querySelector("[aria-label='Hours of the day']").getBoundingClientRect();
  return at.top >= box.top && at.top < box.bottom;
})()`;

describe.each(SIZES)("at $name", ({ name, viewport }) => {
  let opened: Opened;
  let page: Page;
  beforeAll(async () => {
    opened = await cockpit.open({ viewport });
    page = opened.page;
  });
  afterAll(async () => {
    expect(opened.complaints).toEqual([]);
    await opened.context.close();
  });
  const titled = (title: string): string => `${title} (${name})`;

  test("the first screen says what works and what needs a model, and its chips do what they say", async () => {
    await page.goto(`${cockpit.url()}/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect
      .poll(() => page.getByTestId("mode").locator("visible=true").first().textContent())
      .toContain("No AI model");
    await page.getByRole("button", { name: "Write a note" }).click();
    const field = page.getByRole("textbox", { name: "Capture" });
    await page.locator("textarea:focus").waitFor();
    await field.fill(titled("A first note"));
    await page.getByRole("button", { name: "Save" }).click();
    await untilSaved(page);
    await page.goto(`${cockpit.url()}/journal`);
    await page.getByText(titled("A first note")).waitFor();
  });

  test("a captured line becomes chips; one that is taken away stays in the title", async () => {
    await page.goto(`${cockpit.url()}/tasks`);
    await page.getByRole("button", { name: "Capture", exact: false }).locator("visible=true").first().click();
    await page.getByRole("textbox", { name: "Capture" }).fill(titled("call Ana tomorrow 9 #home !2 est 30m"));
    const chips = page.getByTestId("chip");
    await expect.poll(() => chips.count()).toBe(5);
    await page.getByRole("button", { name: "Remove #home" }).click();
    await expect.poll(() => chips.count()).toBe(4);
    await page.getByRole("textbox", { name: "Capture" }).press("Enter");
    const saved = row(page, titled("call Ana #home"));
    await saved.waitFor();
    for (const part of ["Tomorrow 09:00", "P2", "30 min"]) {
      await expect.poll(() => saved.textContent()).toContain(part);
    }
    await untilSaved(page);
    await expect.poll(() => titlesOf(cockpit.home, "open")).toContain(titled("call Ana #home"));
  });

  test("undo in the toast takes a capture back", async () => {
    await page.goto(`${cockpit.url()}/tasks`);
    await page.getByTestId("task-list").waitFor();
    await keepToasts(page);
    await page.keyboard.press("q");
    await page.getByRole("textbox", { name: "Capture" }).fill(titled("a mistake"));
    await page.getByRole("textbox", { name: "Capture" }).press("Enter");
    await row(page, titled("a mistake")).waitFor();
    await toast(page, "a mistake").getByRole("button", { name: /Undo/ }).click();
    await expect.poll(() => titlesOf(cockpit.home, "open")).not.toContain(titled("a mistake"));
    await row(page, titled("a mistake")).waitFor({ state: "detached" });
  });

  test("every part of a task can be edited, and survives a reload", async () => {
    const id = await give(page, { kind: "task.create", title: titled("Review"), items: ["figures", "slides"] });
    await page.goto(`${cockpit.url()}/tasks/${id}`);
    await page.getByRole("textbox", { name: "Title", exact: true }).fill(titled("Quarterly review"));
    await page.getByRole("textbox", { name: "Estimate" }).fill("1h 30m");
    await page.getByRole("combobox", { name: "Priority" }).selectOption("1");
    await page.getByLabel("Due").fill("2030-05-06");
    await page.getByRole("textbox", { name: "Notes", exact: true }).fill("Ask Lena.");
    await page.getByRole("combobox", { name: "Labels" }).fill("q4");
    await page.getByRole("combobox", { name: "Labels" }).press("Enter");
    await page.getByRole("button", { name: "Remove q4" }).waitFor();
    await page.getByRole("combobox", { name: "Repeat" }).selectOption("month");
    await page.getByRole("checkbox", { name: "Item figures" }).check();
    await page.getByRole("textbox", { name: "Add an item" }).fill("comments");
    await page.getByRole("textbox", { name: "Add an item" }).press("Enter");
    await page.getByRole("checkbox", { name: "Item comments" }).waitFor();
    await untilSaved(page);
    await page.reload();
    await expect
      .poll(() => page.getByRole("textbox", { name: "Title", exact: true }).inputValue())
      .toBe(titled("Quarterly review"));
    await expect.poll(() => page.getByRole("textbox", { name: "Estimate" }).inputValue()).toBe("1h 30m");
    await expect.poll(() => page.getByRole("combobox", { name: "Priority" }).inputValue()).toBe("1");
    await expect.poll(() => page.getByLabel("Due").inputValue()).toBe("2030-05-06");
    await expect.poll(() => page.getByRole("combobox", { name: "Repeat" }).inputValue()).toBe("month");
    await expect.poll(() => page.getByRole("textbox", { name: "Notes", exact: true }).inputValue()).toBe("Ask Lena.");
    await expect.poll(() => page.getByRole("checkbox", { name: "Item figures" }).isChecked()).toBe(true);
    await expect.poll(() => page.locator("[data-checklist] li").count()).toBe(3);
  });

  test("a timer runs in sight of every surface, and time can be added after the fact", async () => {
    const id = await give(page, { kind: "task.create", title: titled("Timed work") });
    await page.goto(`${cockpit.url()}/tasks/${id}`);
    await page.getByRole("button", { name: "Start timer", exact: true }).click();
    const running = page.locator("[data-testid^=timer-]").locator("visible=true");
    await running.waitFor();
    await untilSaved(page);
    await page.goto(`${cockpit.url()}/journal`);
    await running.waitFor();
    await running.getByRole("button", { name: "Stop timer" }).click();
    await running.waitFor({ state: "detached" });
    await untilSaved(page);
    await page.goto(`${cockpit.url()}/tasks/${id}`);
    await page.getByRole("button", { name: "Add time after the fact" }).click();
    await page.getByLabel("Date").fill("2026-01-05");
    await page.getByLabel("From").fill("09:00");
    await page.getByLabel("To", { exact: true }).fill("08:00");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The end must be after the start.").waitFor();
    await page.getByLabel("To", { exact: true }).fill("10:15");
    await page.getByLabel("What was done").fill("the figures");
    await page.getByRole("button", { name: "Save" }).click();
    const pane = page.getByRole("complementary");
    await pane.getByText("1 h 15 min").first().waitFor();
    await pane.getByText("the figures").waitFor();
  });

  test("a saved time entry is changed in the task and in the journal", async () => {
    const id = await give(page, { kind: "task.create", title: titled("Mistimed work") });
    const other = await give(page, { kind: "task.create", title: titled("The right task") });
    const times = { startedAt: "2026-01-06T08:00:20.000Z", endedAt: "2026-01-06T09:00:20.000Z" };
    await give(page, { kind: "time.add", taskId: id, ...times, description: titled("figures"), sourceEntryId: null });
    await page.goto(`${cockpit.url()}/tasks/${id}`);
    const edit = page.getByRole("button", { name: "Edit time entry 09:00–10:00" });
    await edit.click();
    const form = page.getByRole("form", { name: "Edit time entry" });
    await form.getByLabel("End").fill("2026-01-06T08:30");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("The end must be after the start.").waitFor();
    await form.getByLabel("End").fill("2026-01-06T11:30");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    const pane = page.getByRole("complementary");
    await pane.getByText("09:00–11:30").waitFor();
    await expect.poll(() => page.locator("[data-edit]:focus").count()).toBe(1);
    await untilSaved(page);

    await page.goto(`${cockpit.url()}/journal`);
    const entry = page.locator("article", { hasText: titled("figures") });
    await entry.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Edit time entry" }).click();
    await form.getByLabel("What was done").fill(titled("slides"));
    await form.getByLabel("Task").selectOption({ label: titled("The right task") });
    await form.getByRole("button", { name: "Save" }).click();
    await page.locator("article", { hasText: titled("slides") }).waitFor();
    await untilSaved(page);
    await page.goto(`${cockpit.url()}/tasks/${other}`);
    await pane.getByText(titled("slides")).waitFor();
    await pane.getByText("09:00–11:30").waitFor();
  });

  test("a follow-up shows what will happen first, then carries the open items over", async () => {
    const id = await give(page, { kind: "task.create", title: titled("Move house"), items: ["boxes", "keys", "van"] });
    await page.goto(`${cockpit.url()}/tasks/${id}`);
    await page.getByRole("checkbox", { name: "Item boxes" }).check();
    await page.getByRole("button", { name: "Follow up", exact: true }).click();
    const preview = page.getByRole("region", { name: "What will happen" });
    await expect.poll(() => preview.textContent()).toContain("Moves 2 items to it");
    expect(await titlesOf(cockpit.home, "open")).toContain(titled("Move house"));
    await page.getByRole("button", { name: "Conclude + carry 2 open items" }).click();
    await expect
      .poll(() => page.getByRole("textbox", { name: "Title", exact: true }).inputValue())
      .toBe(`Follow up: ${titled("Move house")}`);
    await expect.poll(() => page.locator("[data-checklist] li").count()).toBe(2);
    await untilSaved(page);
    await expect.poll(() => titlesOf(cockpit.home, "done")).toContain(titled("Move house"));
  });

  test("a day is planned, moved by the keyboard and rated with one tap", async () => {
    const date = viewport === PHONE ? "2031-03-04" : "2031-03-05";
    await page.goto(`${cockpit.url()}/day/${date}`);
    await page.getByRole("button", { name: "Add block" }).click();
    await page.getByLabel("What for").fill("Deep work");
    await page.getByLabel("From").fill("09:00");
    await page.getByLabel("To", { exact: true }).fill("10:00");
    await page.getByRole("button", { name: "Save" }).click();
    const block = page.getByRole("button", { name: /^Deep work/ });
    await expect.poll(() => block.getAttribute("aria-disabled")).toBe(null);
    await block.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Tab");
    await expect.poll(() => block.textContent()).toBe("Deep work09:30 to 10:45");
    await expect.poll(async () => (await heardIn(page)).join()).toContain("09:30 to 10:45");
    await page.getByRole("textbox", { name: "Note for the day" }).fill("Numbers first");
    await page.getByRole("radio", { name: /^4/ }).check();
    await page.getByText(/1 day rated, average 4/).waitFor();
    await untilSaved(page);
    await page.reload();
    await expect.poll(() => block.textContent()).toBe("Deep work09:30 to 10:45");
    await expect.poll(() => page.getByRole("radio", { name: /^4/ }).isChecked()).toBe(true);
    await expect.poll(() => page.getByRole("textbox", { name: "Note for the day" }).inputValue()).toBe("Numbers first");
  });

  test("a day opens where it is now, else at its first block, with hours as the locale writes them", async () => {
    const inSight = (): Promise<boolean> => page.evaluate<boolean>(IN_SIGHT);
    await page.goto(`${cockpit.url()}/day`);
    await page.getByTestId("now").waitFor({ state: "attached" });
    await expect.poll(inSight).toBe(true);
    const day = viewport === PHONE ? "2031-04-04" : "2031-04-05";
    const times = { startTime: `${day}T18:00:00.000Z`, endTime: `${day}T19:00:00.000Z` };
    const block = { id: null, categoryId: null, taskId: null, note: "Late block", ...times };
    await give(page, { kind: "plan.blocks", planDate: day, upserts: [block], deletes: [] });
    await page.goto(`${cockpit.url()}/day/${day}`);
    await page.getByRole("button", { name: /^Late block/ }).waitFor();
    await expect.poll(inSight).toBe(true);
    await expect.poll(() => page.getByTestId("now").count()).toBe(0);
    const hours = page.getByRole("group", { name: "Hours of the day" });
    await expect.poll(() => hours.textContent()).toContain("09:00");
    await expect.poll(() => hours.textContent()).not.toContain("AM");
  });

  test("search finds everything, marks what it found, and takes operators as words", async () => {
    const id = await give(page, { kind: "task.create", title: titled('Order "AND" quinces (NEAR) col:umn*') });
    await page.goto(`${cockpit.url()}/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox");
    for (const asked of ["quinces", 'quinces AND "', "quinces NEAR(", "col:umn*", "quinces' OR 1=1 --"]) {
      await field.fill(asked);
      const settled = page.locator("[cmdk-item] mark, [role=status]").first();
      await settled.waitFor();
    }
    await field.fill(`quinces ${viewport.width}`);
    const hit = page.locator("[cmdk-item]", { hasText: name });
    await hit.locator("mark").first().waitFor();
    await hit.first().click();
    await page.waitForURL(new RegExp(`/tasks/${id}`));
  });

  test("titles that try something are shown as text", async () => {
    const hostile = `<img src=x onerror="document.title='owned'"><b>b</b> \u202Egnihton \u0007 👩‍🚀 שלום`;
    const id = await give(page, { kind: "task.create", title: hostile, items: [hostile] });
    await give(page, { kind: "entry.create", form: "text", occurredAt: "2026-01-05T10:00:00.000Z", text: hostile });
    for (const path of ["/tasks", `/tasks/${id}`, "/journal", "/"]) {
      await page.goto(cockpit.url() + path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await expect.poll(() => page.title()).not.toContain("owned");
      await expect.poll(() => page.locator("main img, main b").count()).toBe(0);
    }
    await page.goto(`${cockpit.url()}/journal`);
    const said = await page.getByText("<img src=x").first().textContent();
    expect(said).not.toMatch(/[\u202E\u0007]/);
    expect(said).toContain("👩");
    await give(page, { kind: "task.delete", id });
  });
});

describe("at a desk", () => {
  test("the pointer reorders tasks and moves and lengthens blocks", async () => {
    const { page, context } = await cockpit.open();
    const category = await give(page, { kind: "category.create", name: "Dragged", colour: 2 });
    for (const title of ["One", "Two", "Three"]) await give(page, { kind: "task.create", title, categoryId: category });
    await page.goto(`${cockpit.url()}/tasks?category=${category}`);
    const order = (): Promise<readonly string[]> => page.locator("[data-task-link]").allTextContents();
    await expect.poll(order).toEqual(["One", "Two", "Three"]);
    await page.getByTitle("Reorder One").hover();
    await page.mouse.down();
    const last = await row(page, "Three").boundingBox();
    await page.mouse.move((last?.x ?? 0) + 200, (last?.y ?? 0) + (last?.height ?? 0) - 4, { steps: 6 });
    await page.mouse.up();
    await expect.poll(order).toEqual(["Two", "Three", "One"]);
    await untilSaved(page);

    const day = "2032-01-07";
    const times = { startTime: `${day}T08:00:00.000Z`, endTime: `${day}T09:00:00.000Z` };
    const block = { id: null, categoryId: null, taskId: null, note: "Dragged block", ...times };
    await give(page, { kind: "plan.blocks", planDate: day, upserts: [block], deletes: [] });
    await page.goto(`${cockpit.url()}/day/${day}`);
    const shown = page.getByRole("button", { name: /^Dragged block/ });
    await expect.poll(() => shown.textContent()).toBe("Dragged block09:00 to 10:00");
    await expect.poll(() => page.evaluate<boolean>(IN_SIGHT)).toBe(true);
    await shown.hover();
    await page.mouse.down();
    const box = await shown.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 50, (box?.y ?? 0) + (box?.height ?? 0) / 2 + 30, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => shown.textContent()).toBe("Dragged block09:30 to 10:30");
    await untilSaved(page);
    await page.reload();
    await expect.poll(() => shown.textContent()).toBe("Dragged block09:30 to 10:30");
    await context.close();
  });

  test("a time entry that the server refuses keeps what was typed and says why in place", async () => {
    const { page, context } = await cockpit.open();
    const times = { startedAt: "2026-01-07T08:00:00.000Z", endedAt: "2026-01-07T09:00:00.000Z" };
    const gone = await give(page, { kind: "task.create", title: "Deleted meanwhile" });
    const what = { description: "Refused once", sourceEntryId: null };
    await give(page, { kind: "time.add", taskId: null, ...times, ...what });
    await page.goto(`${cockpit.url()}/journal`);
    const entry = page.locator("article", { hasText: "Refused once" });
    await entry.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Edit time entry" }).click();
    const form = page.getByRole("form", { name: "Edit time entry" });
    await form.getByLabel("What was done").fill("Typed before the refusal");
    await form.getByLabel("Task").selectOption({ label: "Deleted meanwhile" });
    await give(page, { kind: "task.delete", id: gone });
    await form.getByRole("button", { name: "Save" }).click();
    await form
      .getByRole("alert")
      .getByText(/There is no task/)
      .waitFor();
    await expect.poll(() => form.getByLabel("What was done").inputValue()).toBe("Typed before the refusal");
    await form.getByLabel("Task").selectOption("");
    await form.getByRole("button", { name: "Save" }).click();
    await page.locator("article", { hasText: "Typed before the refusal" }).waitFor();
    await expect.poll(() => page.locator("article button:focus").count()).toBe(1);
    await context.close();
  });

  test("time that the server refuses to add stays typed, and why is said in place", async () => {
    const { page, context } = await cockpit.open();
    const gone = await give(page, { kind: "task.create", title: "Gone while time is added" });
    await page.goto(`${cockpit.url()}/tasks/${gone}`);
    await page.getByRole("button", { name: "Add time after the fact" }).click();
    await page.getByLabel("Date").fill("2026-01-08");
    await page.getByLabel("From").fill("09:00");
    await page.getByLabel("To", { exact: true }).fill("10:00");
    await page.getByLabel("What was done").fill("Typed before the refusal");
    await page.route("**/api/journal/command", (route) =>
      route.fulfill({ status: 409, json: { error: { code: "refused", message: "Not now." } } }),
    );
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Not now.").waitFor();
    await expect.poll(() => page.getByLabel("What was done").inputValue()).toBe("Typed before the refusal");
    await context.close();
  });

  test("everything can be taken out as a file and put back in", async () => {
    const { page, context } = await cockpit.open();
    await give(page, { kind: "task.create", title: "Exported" });
    await page.goto(`${cockpit.url()}/settings`, SETTLED);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^silas-\d{4}-\d\d-\d\d\.jsonl$/);
    await page
      .getByLabel("Import", { exact: true })
      .and(page.locator("input"))
      .setInputFiles(await download.path());
    await page.getByText(/0 added, 0 replaced, \d+ unchanged, 0 kept/).waitFor();
    await context.close();
  });
});
