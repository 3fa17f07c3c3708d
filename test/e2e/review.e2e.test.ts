/** Review as its owner uses it: the queue, several places at once and much of it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { highPlan, mediumPlan } from "../plan-texts.ts";
import {
  DESKTOP,
  goBy,
  heardIn,
  PHONE,
  startCockpit,
  untilNone,
  untilSettled,
  type Cockpit,
  type Opened,
} from "./browser.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import {
  activeCard,
  declineAll,
  deletion,
  listen,
  openReview,
  openSigner,
  promotion,
  propose,
  proposePayload,
  summaryOf,
} from "./review-desk.ts";

let cockpit: Cockpit;
let opened: Opened;
let page: Page;

beforeAll(async () => {
  cockpit = await startCockpit();
  opened = await openSigner(cockpit, { viewport: DESKTOP });
  page = opened.page;
});
afterAll(() => cockpit.close());
afterEach(async () => {
  await opened.context.setOffline(false);
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await declineAll(cockpit);
});

const plans = async (count: number, first = 1): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let number = first; number < first + count; number += 1) {
    ids.push((await propose(cockpit, mediumPlan(`Plan number ${number}`, `task-${number}`))).request_id);
  }
  return ids;
};
const approveMedium = async (at: Page): Promise<void> => {
  await activeCard(at)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await activeCard(at).getByTestId("confirm").click();
};
/** Without waiting for it; how many there were. */
const pressIfThere = (button: Locator): Promise<number> =>
  button.evaluateAll((all) => {
    for (const each of all) each.click();
    return all.length;
  });
const headings = (at: Page): Promise<readonly string[]> =>
  activeCard(at).getByRole("heading", { level: 2 }).allTextContents();

describe("the queue", () => {
  test("[UX-13] one card is active, the others follow by number; a decision brings the next with the focus on it and says so", async () => {
    await plans(3);
    await openReview(opened, cockpit);
    await activeCard(page).waitFor();
    await expect.poll(() => activeCard(page).count()).toBe(1);
    await expect.poll(() => page.getByTestId("progress").textContent()).toBe("1 of 3");
    await expect.poll(() => page.title()).toBe("(3) Review - Silas");
    const rows = page.locator("[data-up-next]");
    await expect.poll(() => rows.allTextContents()).toEqual(["2Run: Plan number 2Medium", "3Run: Plan number 3Medium"]);
    await approveMedium(page);
    await expect.poll(() => headings(page)).toEqual(["Run: Plan number 2"]);
    await expect.poll(() => page.locator("h2:focus").textContent()).toBe("Run: Plan number 2");
    await expect
      .poll(() => heardIn(page))
      .toContain("Approved and signed: Run: Plan number 1. It runs now. 2 more wait for you.");
    await activeCard(page).getByRole("button", { name: "Decline: nothing runs" }).click();
    await expect.poll(() => page.locator("h2:focus").textContent()).toBe("Run: Plan number 3");
    await expect
      .poll(async () => (await heardIn(page)).join("\n"))
      .toContain("Declined: Run: Plan number 2. Nothing runs.");
    await activeCard(page).getByRole("button", { name: "Decline: nothing runs" }).click();
    await page.getByTestId("nothing").waitFor();
    await expect.poll(() => page.locator("h2:focus").textContent()).toBe("Nothing needs you");
    await expect.poll(() => page.title()).toBe("Review - Silas");
    const lately = page.getByTestId("decided").locator("li");
    await expect.poll(() => lately.count()).toBe(3);
    await expect.poll(() => lately.nth(2).textContent()).toMatch(/Approved on Chromium on Linux/);
  });

  test("a goal's card says in words when it is due, in which zone, and when next", async () => {
    await propose(cockpit, highPlan().replace("0 3 1 1 *", "30 6 * * *"));
    await openReview(opened, cockpit);
    const fact = (name: string) => activeCard(page).getByTestId(name).getByRole("definition").textContent();
    await expect.poll(() => fact("schedule")).toBe("every day at 06:30, Europe/Vienna");
    await expect.poll(() => fact("next-due")).toMatch(/06:30$/);
  });

  test("an address of one decision survives a reload, and an unknown one says so", async () => {
    const [, second = ""] = await plans(2, 10);
    await openReview(opened, cockpit, second);
    await expect.poll(() => headings(page)).toEqual(["Run: Plan number 11"]);
    await page.reload();
    await expect.poll(() => headings(page)).toEqual(["Run: Plan number 11"]);
    await expect.poll(() => page.getByTestId("progress").textContent()).toBe("2 of 2");
    await page.goto(`${cockpit.url()}/review/0123456789abcdef`);
    await page.getByRole("heading", { name: "There is no such decision" }).waitFor();
    await page.getByRole("button", { name: "Go to the queue" }).click();
    await expect.poll(() => headings(page)).toEqual(["Run: Plan number 10"]);
  });

  test("the keyboard goes there, moves through what comes next and comes to the first choice without pressing it", async () => {
    await plans(3, 20);
    await page.goto(`${cockpit.url()}/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await goBy(page, { key: "r", to: /\/review/ });
    await page.locator("[data-up-next]").first().waitFor();
    await activeCard(page).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await expect.poll(() => headings(page)).toEqual(["Run: Plan number 22"]);
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("Enter");
    await page.locator("[data-primary]:focus").waitFor();
    expect(await activeCard(page).getByTestId("confirm").count()).toBe(0);
  });

  test("on a phone Review has its tab and number; elsewhere a waiting decision is one line that leads to it", async () => {
    const [first = ""] = await plans(2, 30);
    const phone = await cockpit.open({ viewport: PHONE });
    const tab = phone.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Review/ });
    await expect.poll(() => tab.textContent()).toContain("2 waiting for you");
    const stub = phone.page.getByTestId("stub");
    await expect.poll(() => stub.textContent()).toContain("Decision waiting");
    await stub.tap();
    await phone.page.waitForURL(new RegExp(`/review/${first}`));
    await phone.page.getByRole("button", { name: "More" }).tap();
    await phone.page.getByRole("dialog").getByRole("link", { name: "Tasks" }).tap();
    await phone.page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
    expect(phone.complaints).toEqual([]);
    await phone.context.close();
  });

  test("on a wide screen the active card stands beside every other surface, and is decided there", async () => {
    await plans(2, 40);
    await page.goto(`${cockpit.url()}/tasks`);
    const column = page.getByTestId("review-column");
    await column.locator("article").waitFor();
    await expect.poll(async () => (await column.boundingBox())?.width).toBe(440);
    await column.locator("summary").click();
    await untilSettled(page);
    expect(await page.evaluate(BELOW_THE_CHOICES)).toBe(0);
    await approveMedium(page);
    await expect.poll(() => headings(page)).toEqual(["Run: Plan number 41"]);
    await page.getByRole("link", { name: "Open Review" }).click();
    await page.waitForURL(/\/review\//);
    await page.getByTestId("review-column").waitFor({ state: "detached" });
    await activeCard(page).getByRole("button", { name: "Decline: nothing runs" }).click();
    await page.getByTestId("nothing").waitFor();
    await page.goto(`${cockpit.url()}/tasks`);
    await page.getByTestId("task-list").or(page.getByText("No open tasks.")).first().waitFor();
    await untilSettled(page);
    expect(await page.getByTestId("review-column").count()).toBe(0);
  });
});

describe("secrets", () => {
  test("what is asked for comes after decisions, and stands alone when none waits", async () => {
    await plans(1, 45);
    const ran = await cockpit.home.silas(["secrets", "ask", "mail-password", "--label", "Password of the mailbox"]);
    expect(ran.code, ran.err).toBe(0);
    await openReview(opened, cockpit);
    const form = page.locator("form[data-card-type=secure_input]");
    await form.waitFor();
    const between = async (): Promise<number> => {
      const [card, input] = [await activeCard(page).boundingBox(), await form.boundingBox()];
      return (input?.y ?? 0) - (card?.y ?? 0) - (card?.height ?? 0);
    };
    await expect.poll(between).toBeGreaterThanOrEqual(0);
    await activeCard(page).getByRole("button", { name: "Decline: nothing runs" }).click();
    await activeCard(page).waitFor({ state: "detached" });
    expect(await page.getByTestId("nothing").count()).toBe(0);
    await page.locator("h1:focus").waitFor();
    const field = form.getByLabel("Secret", { exact: true });
    await field.fill("correct horse battery");
    // Whatever is proposed meanwhile takes the focus from nobody.
    const [later = ""] = await plans(1, 46);
    await activeCard(page).waitFor();
    await expect.poll(() => field.evaluate((each) => each.matches(":focus"))).toBe(true);
    await cockpit.home.silas(["decline", later]);
    await form.getByRole("button", { name: "Store in the vault" }).click();
    await form.waitFor({ state: "detached" });
    await expect.poll(() => heardIn(page)).toContain("Stored in the vault.");
    await page.getByRole("button", { name: "Show the next one" }).click();
    await page.getByTestId("nothing").waitFor();
  });
});

describe("several places at once", () => {
  test("a card decided in another tab or on the terminal changes in place and says where", async () => {
    const [first = "", second = "", third = ""] = await plans(3, 50);
    const other = await opened.context.newPage();
    await openReview({ page: other }, cockpit, first);
    await openReview(opened, cockpit, first);
    await activeCard(page).waitFor();
    await approveMedium(other);
    const settled = activeCard(page).getByTestId("settled");
    await settled.waitFor();
    await expect.poll(() => settled.textContent()).toContain("Approved on Chromium on Linux");
    expect(
      await activeCard(page)
        .getByRole("button", { name: /^Approve/ })
        .count(),
    ).toBe(0);
    await page.getByRole("button", { name: "Show the next one" }).click();
    await expect.poll(() => headings(page)).toEqual(["Run: Plan number 51"]);
    await cockpit.home.silas(["decline", second]);
    await settled.waitFor();
    await expect.poll(() => settled.textContent()).toContain("Declined on the terminal");
    // Two tabs press at the same moment: one of them decides, and both know.
    await openReview({ page: other }, cockpit, third);
    await openReview(opened, cockpit, third);
    await activeCard(other).waitFor();
    await activeCard(page).waitFor();
    await activeCard(other)
      .getByRole("button", { name: /^Approve/ })
      .click();
    await activeCard(other).getByTestId("confirm").waitFor();
    // Whichever comes second may find nothing left to press.
    const pressed = await Promise.all([
      pressIfThere(activeCard(other).getByTestId("confirm")),
      pressIfThere(activeCard(page).getByRole("button", { name: "Decline: nothing runs" })),
    ]);
    expect(pressed).toContain(1);
    await untilNone(async () => (await summaryOf(page)).pending.length);
    const { decided } = await summaryOf(page);
    expect(decided.filter(({ request_id: id }) => id === third)).toHaveLength(1);
    await other.close();
  });

  test("without a connection nothing can be decided and the reason is given; nothing is kept to be sent later", async () => {
    await plans(1, 60);
    await openReview(opened, cockpit);
    await activeCard(page).waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => null)");
    await opened.context.setOffline(true);
    const zone = activeCard(page).getByTestId("decide");
    await zone.getByRole("alert").getByText("Silas cannot be reached").waitFor();
    for (const button of await zone.getByRole("button").all()) await expect.poll(() => button.isDisabled()).toBe(true);
    // The last card that was shown can still be read, and no more than that.
    await page.reload();
    await page
      .getByText(/Offline - showing what was here/)
      .first()
      .waitFor();
    await zone.getByRole("alert").getByText("Silas cannot be reached").waitFor();
    for (const button of await zone.getByRole("button").all()) await expect.poll(() => button.isDisabled()).toBe(true);
    await opened.context.setOffline(false);
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await page.locator("[data-connection=online]").waitFor();
    await expect.poll(() => zone.getByRole("button", { name: /^Approve/ }).isEnabled()).toBe(true);
    expect((await summaryOf(page)).pending).toHaveLength(1);
  });

  test("a restart between card and tap changes nothing: the card is signed as it was shown", async () => {
    await plans(1, 70);
    await openReview(opened, cockpit);
    await activeCard(page).waitFor();
    await cockpit.stopServer();
    await page.locator("[data-connection=offline]").waitFor();
    await cockpit.startServer();
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await page.locator("[data-connection=online]").waitFor();
    await approveMedium(page);
    await page.getByTestId("nothing").waitFor();
    expect((await summaryOf(page)).decided[0]).toMatchObject({ state: "approved", intent: "Run: Plan number 70" });
  });
});

describe("much of it", () => {
  test("[FATIGUE-05] more than five of medium risk or more raise the badge and a summary; five do not; nothing is disabled", async () => {
    await plans(5, 80);
    await proposePayload(cockpit, promotion("Low risk does not count.", "item-80"));
    await openReview(opened, cockpit);
    await activeCard(page).waitFor();
    const badge = page.getByRole("navigation").getByTestId("review-badge").locator("visible=true");
    await untilSettled(page);
    expect(await page.getByTestId("dense").count()).toBe(0);
    await expect.poll(() => badge.getAttribute("data-dense")).toBe("false");
    const calm = await page.evaluate<string>(BADGE_COLOUR);
    await plans(1, 86);
    await page.getByTestId("dense").waitFor();
    await expect.poll(() => page.getByTestId("dense").textContent()).toContain("6 of medium risk or more are waiting");
    await expect.poll(() => badge.getAttribute("data-dense")).toBe("true");
    await expect.poll(() => page.evaluate<string>(BADGE_COLOUR)).not.toBe(calm);
    for (const button of await activeCard(page).getByRole("button").all())
      await expect.poll(() => button.isEnabled()).toBe(true);
    await approveMedium(page);
    await page.getByTestId("dense").waitFor({ state: "detached" });
  });

  test("two hundred that wait are one light list, and only the active one is read whole", async () => {
    await plans(200, 100);
    const asked = listen(opened.context);
    await openReview(opened, cockpit);
    await activeCard(page).waitFor();
    await expect.poll(() => page.getByTestId("progress").textContent()).toBe("1 of 200");
    await expect.poll(() => page.locator("[data-up-next]").count()).toBe(20);
    await page.getByRole("button", { name: "Show 20 more" }).click();
    await expect.poll(() => page.locator("[data-up-next]").count()).toBe(40);
    const shown = asked.filter(({ verb }) => verb === "show").map(({ body }) => JSON.stringify(body));
    expect(new Set(shown).size).toBe(1);
    await approveMedium(page);
    await expect.poll(() => page.getByTestId("progress").textContent()).toBe("1 of 199");
    const active = async () => (await summaryOf(page)).pending.filter(({ active_since: since }) => since !== null);
    await expect.poll(active, { interval: 500 }).toHaveLength(1);
  });
});

describe("every state", () => {
  test.each([
    { theme: "light", viewport: PHONE },
    { theme: "dark", viewport: DESKTOP },
  ] as const)("axe finds nothing serious in $theme at $viewport.width px, and nothing is wider than it", async (at) => {
    await page.setViewportSize(at.viewport);
    await page.emulateMedia({ colorScheme: at.theme, reducedMotion: "reduce" });
    const faultless = async (where: string): Promise<void> => {
      expect(await faultsOf(page), where).toEqual([]);
      for (const width of at.viewport === PHONE ? [320, 430, PHONE.width] : [at.viewport.width]) {
        await page.setViewportSize({ ...at.viewport, width });
        expect(await sidewaysOf(page), `${where} at ${width}`).toBe(0);
      }
      if (at.viewport !== PHONE) return;
      await untilSettled(page);
      expect(await page.evaluate<readonly string[]>(SMALL_TARGETS), where).toEqual([]);
    };
    await openReview(opened, cockpit);
    await page.getByTestId("nothing").waitFor();
    await faultless("empty");
    const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
    const { request_id: medium } = await propose(cockpit, mediumPlan(long, "task-wide"));
    const { request_id: high } = await propose(cockpit, highPlan());
    const { request_id: irreversible } = await proposePayload(cockpit, deletion());
    await openReview(opened, cockpit, medium);
    await activeCard(page)
      .getByRole("button", { name: /^Approve/ })
      .click();
    await activeCard(page).getByTestId("confirm").waitFor();
    await faultless("medium, to be confirmed");
    for (const id of [high, irreversible]) {
      await openReview(opened, cockpit, id);
      await activeCard(page)
        .getByRole("button", { name: /^Approve/ })
        .click();
      await activeCard(page).getByRole("slider").waitFor();
      await faultless("slide");
    }
    await activeCard(page).getByRole("slider").press("End");
    await activeCard(page).getByRole("slider").press("Enter");
    await page.getByTestId("passkey-step").waitFor();
    await faultless("passkey");
    if (at.viewport === DESKTOP) {
      await page.goto(`${cockpit.url()}/`);
      await page.getByTestId("review-column").locator("article").waitFor();
      await faultless("column");
    }
  });
});

/** What the choices of a card cover must not show again below them. */
const BELOW_THE_CHOICES = `document.querySelector("[data-testid=review-column]").getBoundingClientRect().bottom -
  document.querySelector("[data-testid=decide]").getBoundingClientRect().bottom`;

const SMALL_TARGETS = `[...document.querySelectorAll("main button, main summary, main input, main .row, nav a, nav button")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().height > 1)
  .filter((each) => each.getBoundingClientRect().height < 43.5 || each.getBoundingClientRect().width < 43.5)
  .map((each) => each.outerHTML.slice(0, 160))`;

const BADGE_COLOUR = `getComputedStyle(document.querySelector("[data-testid=review-badge]")).backgroundColor`;

test("the page did not complain but about the server that was away and what was decided elsewhere first", () => {
  expect(
    opened.complaints.filter((text) => !/Failed to load resource: (net::|.*\b(404|409)\b)|WebSocket/.test(text)),
  ).toEqual([]);
});
