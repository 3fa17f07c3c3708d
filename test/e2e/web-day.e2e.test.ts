/** A day and its blocks, at the size of a phone and of a desk. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { atEachSize, HOURS_IN_SIGHT, taskRow } from "./both-sizes.ts";
import { give, heardIn, startCockpit, untilSaved, untilSettled, PHONE, type Cockpit } from "./browser.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

atEachSize(
  () => cockpit,
  (at) => {
    const { viewport } = at;

    test("a day is planned, moved by the keyboard and rated with one tap", async () => {
      const page = at.page();
      // Further apart than the fourteen days whose ratings are counted.
      const date = viewport === PHONE ? "2031-03-04" : "2031-03-25";
      await page.goto(`${cockpit.url()}/day/${date}`);
      await page.getByRole("button", { name: "Add block" }).click();
      await page.getByLabel("What for").fill("Deep work");
      await page.getByLabel("From").fill("09:00");
      await page.getByLabel("To", { exact: true }).fill("10:00");
      await page.getByRole("button", { name: "Save" }).click();
      const block = page.getByRole("button", { name: /^Deep work/ });
      await untilSaved(page);
      expect(await block.getAttribute("aria-disabled")).toBe(null);
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
      await expect
        .poll(() => page.getByRole("textbox", { name: "Note for the day" }).inputValue())
        .toBe("Numbers first");
    });

    test("a day opens where it is now, else at its first block, with hours as the locale writes them", async () => {
      const page = at.page();
      const inSight = (): Promise<boolean> => page.evaluate<boolean>(HOURS_IN_SIGHT);
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
      await untilSettled(page);
      expect(await page.getByTestId("now").count()).toBe(0);
      const hours = page.getByRole("group", { name: "Hours of the day" });
      await expect.poll(() => hours.textContent()).toContain("09:00");
      expect(await hours.textContent()).not.toContain("AM");
    });
  },
);

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
    const last = await taskRow(page, "Three").boundingBox();
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
    await expect.poll(() => page.evaluate<boolean>(HOURS_IN_SIGHT)).toBe(true);
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
});
