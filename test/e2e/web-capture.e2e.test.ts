/** What is written down and found again, at the size of a phone and of a desk. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { atEachSize, taskRow } from "./both-sizes.ts";
import {
  give,
  keepToasts,
  SETTLED,
  startCockpit,
  titlesOf,
  untilSaved,
  untilSettled,
  type Cockpit,
} from "./browser.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

atEachSize(
  () => cockpit,
  (at) => {
    const { titled, viewport, name } = at;

    test("the first screen says what works and what needs a model, and its chips do what they say", async () => {
      const page = at.page();
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
      const page = at.page();
      await page.goto(`${cockpit.url()}/tasks`);
      await page.getByRole("button", { name: "Capture", exact: false }).locator("visible=true").first().click();
      await page.getByRole("textbox", { name: "Capture" }).fill(titled("call Ana tomorrow 9 #home !2 est 30m"));
      const chips = page.getByTestId("chip");
      await expect.poll(() => chips.count()).toBe(5);
      await page.getByRole("button", { name: "Remove #home" }).click();
      await expect.poll(() => chips.count()).toBe(4);
      await page.getByRole("textbox", { name: "Capture" }).press("Enter");
      const saved = taskRow(page, titled("call Ana #home"));
      await saved.waitFor();
      for (const part of ["Tomorrow 09:00", "P2", "30 min"]) {
        await expect.poll(() => saved.textContent()).toContain(part);
      }
      await untilSaved(page);
      await expect.poll(() => titlesOf(cockpit.home, "open")).toContain(titled("call Ana #home"));
    });

    test("undo in the toast takes a capture back", async () => {
      const page = at.page();
      await page.goto(`${cockpit.url()}/tasks`);
      await page.getByTestId("task-list").waitFor();
      await keepToasts(page);
      await page.keyboard.press("q");
      await page.getByRole("textbox", { name: "Capture" }).fill(titled("a mistake"));
      await page.getByRole("textbox", { name: "Capture" }).press("Enter");
      await taskRow(page, titled("a mistake")).waitFor();
      await page.getByRole("listitem").filter({ hasText: "a mistake" }).getByRole("button", { name: /Undo/ }).click();
      await taskRow(page, titled("a mistake")).waitFor({ state: "detached" });
      await untilSaved(page);
      expect(await titlesOf(cockpit.home, "open")).not.toContain(titled("a mistake"));
    });

    test("search finds everything, marks what it found, and takes operators as words", async () => {
      const page = at.page();
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
      const page = at.page();
      const hostile = `<img src=x onerror="document.title='owned'"><b>b</b> \u202Egnihton \u0007 👩‍🚀 שלום`;
      const id = await give(page, { kind: "task.create", title: hostile, items: [hostile] });
      await give(page, { kind: "entry.create", form: "text", occurredAt: "2026-01-05T10:00:00.000Z", text: hostile });
      for (const path of ["/tasks", `/tasks/${id}`, "/journal", "/"]) {
        await page.goto(cockpit.url() + path);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        await untilSettled(page);
        expect(await page.title()).not.toContain("owned");
        expect(await page.locator("main img, main b").count()).toBe(0);
      }
      await page.goto(`${cockpit.url()}/journal`);
      const said = await page.getByText("<img src=x").first().textContent();
      expect(said).not.toMatch(/[\u202E\u0007]/);
      expect(said).toContain("👩");
      await give(page, { kind: "task.delete", id });
    });
  },
);

describe("at a desk", () => {
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
