/** Words and sizes other than the usual: longer languages, larger text, a page zoomed far in, other clocks. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { DESKTOP, give, PHONE, startCockpit, untilSettled, type Cockpit } from "./browser.ts";
import { sidewaysOf } from "./page-faults.ts";
import { promotion, proposePayload } from "./review-desk.ts";

/** What a desktop of 1280 px shows at 400 %. */
const ZOOMED = { width: 320, height: 256 };
const DAY = "2026-01-05";
let cockpit: Cockpit;
let page: Page;
let surfaces: readonly string[];

beforeAll(async () => {
  cockpit = await startCockpit();
  ({ page } = await cockpit.open());
  const taskId = await give(page, {
    kind: "task.create",
    title: "Prepare the review",
    dueDate: DAY,
    priority: 1,
    estimateMinutes: 90,
    labelNames: ["review"],
    items: ["figures", "slides"],
  });
  const times = { startedAt: `${DAY}T09:00:00.000Z`, endedAt: `${DAY}T10:00:00.000Z` };
  await give(page, { kind: "time.add", taskId, ...times, description: "figures", sourceEntryId: null });
  await give(page, { kind: "entry.create", form: "text", occurredAt: times.startedAt, text: "A note." });
  const block = { id: null, categoryId: null, taskId, startTime: times.startedAt, endTime: times.endedAt, note: "" };
  await give(page, { kind: "plan.blocks", planDate: DAY, upserts: [block], deletes: [] });
  surfaces = ["/", "/tasks", `/tasks/${taskId}`, `/day/${DAY}`, "/journal", "/activity", "/settings"];
});
afterAll(() => cockpit.close());

async function visit(path: string): Promise<void> {
  await page.goto(cockpit.url() + path);
  await page.locator("[data-connection=online]").waitFor();
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await untilSettled(page);
}

/** Makes every label as long as a wordy language would: short ones twice as long, others by two fifths. */
const LENGTHEN = `(() => {
  const words = "Ünfäll Zusätz Größe Märkte Bücher Wörter Grüße Straße Häuser Flüsse ";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) {
    const text = node.data.trim();
    const inside = node.parentElement.closest("button, a, label, legend, summary, h1, h2, h3, dt, [role=button]");
    if (text.length < 2 || inside === null || node.parentElement.closest("bdi, kbd, time, .mono, script") !== null) continue;
    node.data += " " + words.slice(0, Math.ceil(text.length * (text.length < 12 ? 1 : 0.4))).trimEnd();
  }
})()`;

/**
 * Controls whose words are cut off or stand outside the window. What scrolls by itself may hold more than it shows, and
 * what a person wrote may end in dots where it is shown in full elsewhere.
 */
const CLIPPED = `[...document.querySelectorAll("button, a, label, legend, summary, h1, h2, h3, [role=button]")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().height > 1)
  .filter((each) => each.closest("[data-block], .hidden-visually, [inert]") === null && each.querySelector("bdi") === null)
  .filter((each) => document.querySelector("dialog[open]") === null || each.closest("dialog") !== null)
  .filter((each) => {
    const { left, right, bottom } = each.getBoundingClientRect();
    const style = getComputedStyle(each);
    const isCut = style.overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1;
    const spills = each.matches("button, nav a, header a") && each.scrollHeight > each.clientHeight + 4;
    let scroller = each.parentElement;
    while (scroller !== null && !/auto|scroll/.test(getComputedStyle(scroller).overflowX)) scroller = scroller.parentElement;
    const isOutside = (left < -1 || right > innerWidth + 1) && (scroller === null || scroller.tagName === "DIALOG");
    const isBelow = each.closest("nav") !== null && getComputedStyle(each.closest("nav")).position === "fixed" && bottom > innerHeight + 1;
    return isCut || spills || isOutside || (isBelow && innerWidth < 720);
  })
  .map((each) => each.outerHTML.replace(/<svg.*?<\\/svg>/g, "").slice(0, 200))`;

/** How much of the window's height is left to the surface between what is fixed to its edges. */
const FREE_HEIGHT = `innerHeight - [...document.querySelectorAll("header, nav, footer, footer ~ *")]
  .filter((each) => getComputedStyle(each).position === "fixed" && each.checkVisibility() && each.clientWidth > innerWidth / 2)
  .reduce((sum, each) => sum + Math.max(0, each.getBoundingClientRect().height), 0)`;

const clipped = () => page.evaluate<readonly string[]>(CLIPPED);

/** Nothing cut, nothing sideways; `where` is in the message when there is. */
async function expectWhole(where: string): Promise<void> {
  const seen = async () => ({ where, clipped: await clipped(), sideways: await sidewaysOf(page) });
  await expect.poll(seen).toEqual({ where, clipped: [], sideways: 0 });
}

describe("other words and sizes", () => {
  test("words as long as German ones cut no control at 375 px", async () => {
    await page.setViewportSize(PHONE);
    for (const path of surfaces) {
      await visit(path);
      await page.evaluate(LENGTHEN);
      await expectWhole(path);
    }
    await visit("/");
    for (const open of ["q", "?", "Control+k"]) {
      await page.keyboard.press(open);
      await page.locator("dialog[open]").waitFor();
      await page.evaluate(LENGTHEN);
      await expectWhole(open);
      await page.keyboard.press("Escape");
      await page.locator("dialog[open]").waitFor({ state: "detached" });
    }
  });

  test("text of twice the size and a page zoomed to 400 % flow again, with nothing cut", async () => {
    for (const path of surfaces) {
      await visit(path);
      for (const { viewport, size } of [
        { viewport: PHONE, size: "200%" },
        { viewport: DESKTOP, size: "200%" },
        { viewport: ZOOMED, size: "100%" },
      ]) {
        await page.setViewportSize(viewport);
        await page.evaluate(`document.documentElement.style.fontSize = "${size}"`);
        await expectWhole(`${path} at ${viewport.width} px, text ${size}`);
        await expect
          .poll(() => page.evaluate<number>(FREE_HEIGHT), { message: path })
          .toBeGreaterThan(viewport.height / 2);
      }
    }
  });

  test.each([
    { locale: "en-US", time: "10:00 AM", hour: "9 AM" },
    { locale: "de-DE", time: "10:00", hour: "09:00" },
  ])("a clock time of $locale stands on one line of a phone", async ({ locale, time, hour }) => {
    const context = await cockpit.openStranger({ viewport: PHONE, locale, timezoneId: "Europe/Vienna" });
    const phone = await context.newPage();
    await phone.goto(await cockpit.link());
    await phone.locator("[data-connection=online]").waitFor();
    await phone.goto(`${cockpit.url()}/journal`);
    const shown = phone.locator("article time").filter({ hasText: time }).first();
    await shown.waitFor();
    await expect.poll(() => shown.evaluate((each) => each.getClientRects().length)).toBe(1);
    await expect.poll(async () => (await shown.boundingBox())?.height).toBeLessThan(40);
    await expect.poll(() => shown.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true);
    await phone.goto(`${cockpit.url()}/day/2026-01-05`);
    await phone.getByText(hour, { exact: true }).first().waitFor();
    await context.close();
  });

  test("the number of what waits is whole on a phone: 22, and 99+ beyond 99", async () => {
    const { page: phone, context } = await cockpit.open({ viewport: PHONE });
    let waiting = 0;
    for (const { count, shown } of [
      { count: 2, shown: "2" },
      { count: 22, shown: "22" },
      { count: 101, shown: "99+" },
    ]) {
      for (; waiting < count; waiting += 1) {
        await proposePayload(cockpit, promotion(`Fact ${waiting}.`, `item-${waiting}`));
      }
      const badge = phone.getByRole("navigation").getByTestId("review-badge").locator("visible=true");
      await badge.getByText(`${count} waiting for you`).waitFor({ state: "attached" });
      await expect.poll(() => phone.evaluate<string>(READABLE)).toBe(shown);
    }
    await context.close();
  });
});

/** The characters of the number that stand on its line and within its own box. */
const READABLE = `(() => {
  const badge = [...document.querySelectorAll("[data-testid=review-badge]")].find((each) => each.checkVisibility());
  const text = badge.querySelector("[aria-hidden]").firstChild;
  const box = badge.getBoundingClientRect();
  const isInside = (_, at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom;
  };
  return [...text.data].filter(isInside).join("");
})()`;
