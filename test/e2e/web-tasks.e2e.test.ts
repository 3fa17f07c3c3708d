/** A task and the time spent on it, at the size of a phone and of a desk. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { atEachSize } from "./both-sizes.ts";
import { give, startCockpit, titlesOf, untilSaved, type Cockpit } from "./browser.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

atEachSize(
  () => cockpit,
  (at) => {
    const { titled } = at;

    test("every part of a task can be edited, and survives a reload", async () => {
      const page = at.page();
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
      const page = at.page();
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
      const page = at.page();
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
      const page = at.page();
      const id = await give(page, {
        kind: "task.create",
        title: titled("Move house"),
        items: ["boxes", "keys", "van"],
      });
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
  },
);

describe("at a desk", () => {
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
});
