/** The card of a decision in the real page: what it shows, in which order, and what it takes to approve it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import type { ShownRequestBody } from "#model";
import { highPlan, mediumPlan, planFile, WITHOUT_SKILLS } from "../plan-texts.ts";
import { boxAtRest, boxOf, ON_ONE_SCREEN, overlap, WATCH_CONTROLS } from "./boxes.ts";
import { DESKTOP, PHONE, startCockpit, untilFocused, untilSettled, type Cockpit, type Opened } from "./browser.ts";
import {
  activeCard,
  declineAll,
  deletion,
  enrolKey,
  inTransit,
  listen,
  openReview,
  promotion,
  propose,
  proposePayload,
  stopped,
  summaryOf,
  threshold,
  untilIdle,
} from "./review-desk.ts";

let cockpit: Cockpit;
let opened: Opened;
let page: Page;
let asked: ReturnType<typeof listen>;

beforeAll(async () => {
  cockpit = await startCockpit();
  await useNewBrowser();
});

/** So many pages are opened here that one session alone would come to its limit of requests. */
async function useNewBrowser(): Promise<void> {
  opened = await cockpit.open({ viewport: PHONE });
  page = opened.page;
  await enrolKey(cockpit, page);
  asked = listen(opened.context);
}
afterAll(() => cockpit.close());
afterEach(async () => {
  await page.unrouteAll({ behavior: "wait" });
  await page.setViewportSize(PHONE);
  await declineAll(cockpit);
});

const approve = (card: Locator): Locator =>
  card.locator("[data-testid=decide] button", { hasText: /^Approve/ }).first();
const minted = (): readonly unknown[] =>
  asked.filter(({ verb }) => verb === "mint").map(({ body }) => (body as { readonly friction: unknown }).friction);

const BACKGROUNDS = `[...document.querySelectorAll("[data-testid=decide] button")]
  .map((each) => getComputedStyle(each).backgroundColor)`;

/** Drags the thumb from the left end to a share of the way. */
async function slide(slider: Locator, share: number): Promise<void> {
  const { x, y, width, height } = await boxAtRest(slider);
  await page.mouse.move(x + 26, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 26 + (width - 52) * share, y + height / 2, { steps: 8 });
  await page.mouse.up();
}

describe("what a card shows", () => {
  test("[CARD-04] [UX-01] its body without the details is at most 300 px high on a phone, in sight together with its choices, however much there is to say and however many wait", async () => {
    const long = "Compare the quarterly figures of all nine branches and write down what differs and why";
    const plans = [
      mediumPlan(),
      highPlan(),
      WITHOUT_SKILLS,
      planFile(`id: task-long\ntype: task\ntitle: ${long}\nsteps: [{ name: look, run: "true" }]\nverify: []`),
      mediumPlan("W".repeat(80), "task-wide"),
    ];
    const ids: string[] = [];
    for (const plan of plans) ids.push((await propose(cockpit, plan)).request_id);
    for (const payload of [promotion("word ".repeat(200)), deletion(), stopped, threshold])
      ids.push((await proposePayload(cockpit, payload)).request_id);
    for (const id of ids) {
      const card = await openReview(opened, cockpit, id);
      const height = async (): Promise<number> => (await boxOf(card.getByTestId("card-body"))).height;
      await untilSettled(page);
      expect(await height(), id).toBeLessThanOrEqual(300);
      await expect.poll(() => page.evaluate(ON_ONE_SCREEN), { message: id }).toBe("whole");
    }
  });

  test("[CARD-05] its details are closed for low and medium risk and open for high and irreversible", async () => {
    const requests = [
      ["low", await proposePayload(cockpit, promotion())],
      ["medium", await propose(cockpit, mediumPlan())],
      ["high", await propose(cockpit, highPlan())],
      ["irreversible", await proposePayload(cockpit, deletion())],
    ] as const;
    for (const [risk, { request_id: id }] of requests) {
      const card = await openReview(opened, cockpit, id);
      await page.locator(`article[data-risk=${risk}]`).waitFor();
      const isOpen = async (): Promise<boolean> => (await card.getByTestId("details").getAttribute("open")) !== null;
      await expect.poll(isOpen, { message: risk }).toBe(risk === "high" || risk === "irreversible");
      // Shape and word, never the colour alone.
      await expect.poll(() => card.getByTestId("card-body").locator(`svg[data-shape=${risk}]`).count()).toBe(1);
    }
  });

  test("[CARD-03] the recommended choice is first and declining last and quiet, whatever order came", async () => {
    const { request_id: id } = await propose(cockpit, mediumPlan());
    await inTransit<ShownRequestBody>(page, "show", (body) => ({
      ...body,
      card: {
        ...body.card,
        ctas: [
          { action: "decline", role: "decline", consequence_label: "Decline: nothing runs" },
          { action: "edit", role: "safe", consequence_label: "Take the plan to change it" },
          { action: "approve", role: "recommended", consequence_label: "Approve for 1 run" },
        ],
      },
    }));
    const card = await openReview(opened, cockpit, id);
    const buttons = card.getByTestId("decide").getByRole("button");
    await buttons.first().waitFor();
    await expect
      .poll(() => buttons.allTextContents())
      .toEqual(["Approve for 1 run", "Take the plan to change it", "Decline: nothing runs"]);
    const tops = (): Promise<readonly number[]> =>
      buttons.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().y));
    await expect.poll(async () => (await tops()).every((top, at, all) => top >= (all[at - 1] ?? 0))).toBe(true);
    const backgrounds = (): Promise<readonly string[]> => page.evaluate<readonly string[]>(BACKGROUNDS);
    await expect.poll(async () => (await backgrounds())[2]).toBe("rgba(0, 0, 0, 0)");
    expect((await backgrounds())[0]).not.toBe("rgba(0, 0, 0, 0)");
  });

  test("[CARD-01] [PWA-08] every value that is signed has its row, made in the page, and checks stand before the choices", async () => {
    const { request_id: id, card: sent } = await propose(cockpit, WITHOUT_SKILLS);
    const card = await openReview(opened, cockpit, id);
    const rows = card.getByTestId("details").locator("[data-row]");
    await rows.first().waitFor();
    await expect
      .poll(() => rows.evaluateAll((all) => all.map((each) => each.getAttribute("data-row"))))
      .toEqual(sent.details.rows.map(({ path }) => path));
    expect(await card.getByTestId("parts").count()).toBe(0);
    const between = async (): Promise<number> =>
      (await boxOf(approve(card))).y - (await boxOf(card.getByTestId("checks"))).y;
    await expect.poll(between).toBeGreaterThan(0);
    await expect.poll(() => card.getByTestId("details").textContent()).toContain(sent.plan_hash);
    await expect.poll(() => card.getByTestId("details").textContent()).toContain("answers: ends with code 0");
  });

  test("[PWA-08] [PWA-10] what is no plan is decided by the same card: a gate's value, and limits as they are and would be", async () => {
    const gate = await openReview(opened, cockpit, (await proposePayload(cockpit, stopped)).request_id);
    const choices = gate.getByTestId("decide").getByRole("button");
    await choices.first().waitFor();
    await expect
      .poll(() => choices.allTextContents())
      .toEqual(["Approve: let this one pass", "Decline: it stays blocked"]);
    // Nobody has to open anything to see what it is about.
    await expect.poll(() => gate.getByTestId("payload-facts").innerText()).toMatch(/large amounts\s+Value\s+4200/);
    await gate.locator("summary").tap();
    await expect.poll(() => gate.locator("[data-row='/value']").innerText()).toContain("4200");
    await expect.poll(() => gate.locator("[data-row='/gate']").innerText()).toContain("large amounts");
    const limits = await openReview(opened, cockpit, (await proposePayload(cockpit, threshold)).request_id);
    await choices.first().waitFor();
    await expect
      .poll(async () => (await choices.allTextContents()).join("; "))
      .toMatch(/^Approve: change 2 limits; Tighten now: .+; Decline: every limit stays as it is$/);
    const changes = limits.getByTestId("payload-facts");
    await expect.poll(() => changes.innerText()).toMatch(/Widens\s+batch_review\.default_size from 10 to 25/);
    await expect.poll(() => changes.innerText()).toMatch(/Tightens\s+standing\.max_executions from 5 to 3/);
    for (const [path, text] of [
      ["/changes/0/current_value", "10"],
      ["/changes/0/proposed_value", "25"],
      ["/changes/0/direction", "widen"],
      ["/changes/1/direction", "tighten"],
      ["/sample_size", "0"],
      ["/correction_rate", "0"],
      ["/evidence_window", "asked for by hand, no decisions counted"],
    ] as const) {
      const row = limits.locator(`[data-row='${path}']`);
      await expect.poll(() => row.isVisible(), { message: path }).toBe(true);
      await expect.poll(() => row.innerText(), { message: path }).toContain(text);
    }
  });

  test("a card that was changed on its way is shown as that, and cannot be approved", async () => {
    const { request_id: id } = await propose(cockpit, mediumPlan());
    const changes: readonly ((body: ShownRequestBody) => ShownRequestBody)[] = [
      (body) => ({ ...body, projection: body.projection.replace("week-46", "week-47") }),
      (body) => ({ ...body, plan_hash: "0".repeat(64) as ShownRequestBody["plan_hash"] }),
      (body) => ({ ...body, projection: ` ${body.projection}` }),
      (body) => ({
        ...body,
        card: { ...body.card, details: { ...body.card.details, rows: body.card.details.rows.slice(1) } },
      }),
      (body) => ({ ...body, risk_level: "low" }),
    ];
    for (const change of changes) {
      await inTransit(page, "show", change);
      const card = await openReview(opened, cockpit, id);
      await card.getByTestId("tampered").waitFor();
      await expect
        .poll(() => card.getByTestId("decide").getByRole("button").allTextContents())
        .toEqual(["Decline: nothing runs"]);
      await page.unrouteAll({ behavior: "wait" });
    }
  });

  test("text that tries something is shown as text, also when the server forgot to make it safe", async () => {
    const { request_id: id } = await propose(cockpit, mediumPlan());
    const hostile = `<img src=x onerror="document.title='owned'"><b>b</b> \u202Egnp\u0007\u001B[31m\u200B`;
    await inTransit<ShownRequestBody>(page, "show", (body) => ({
      ...body,
      card: { ...body.card, intent: hostile, rationale: hostile },
    }));
    const card = await openReview(opened, cockpit, id);
    const heading = card.getByRole("heading", { level: 2 });
    await heading.waitFor();
    await expect.poll(() => heading.textContent()).toContain("<img src=x");
    expect(await card.textContent()).not.toMatch(/[\u202E\u0007\u001B\u200B]/);
    expect(await card.locator("img, b").count()).toBe(0);
    expect(await page.title()).not.toContain("owned");
  });
});

describe("what it takes to approve", () => {
  beforeAll(useNewBrowser);

  test("[RISK-01] [UX-02] low risk is one tap, on a card that shows the text it is about", async () => {
    await proposePayload(cockpit, promotion("One tap is enough.", "item-low"));
    const card = await openReview(opened, cockpit);
    const before = minted().length;
    await expect.poll(() => card.getByTestId("payload-facts").innerText()).toContain("One tap is enough.");
    await approve(card).tap();
    await page.getByTestId("nothing").waitFor();
    expect(minted().slice(before)).toEqual([["tap"]]);
  });

  test("[RISK-01] [UX-02] medium risk is a tap and a confirmation at another place; only a tap elsewhere takes it back", async () => {
    await propose(cockpit, mediumPlan());
    const card = await openReview(opened, cockpit);
    const first = await boxAtRest(approve(card));
    const before = minted().length;
    const chip = card.getByTestId("confirm");
    await approve(card).dblclick();
    await approve(card).waitFor();
    await approve(card).tap();
    await chip.waitFor();
    expect(overlap(first, await boxOf(chip))).toBe(false);
    expect(await card.getByRole("slider").count()).toBe(0);
    expect(minted().length).toBe(before);
    await card.getByRole("heading", { level: 2 }).click();
    await chip.waitFor({ state: "detached" });
    await approve(card).tap();
    await untilFocused(chip);
    await page.keyboard.press("Escape");
    await chip.waitFor({ state: "detached" });
    await page.locator("article[data-state=pending]").waitFor();
    await approve(card).tap();
    await chip.tap();
    await page.getByTestId("nothing").waitFor();
    expect(minted().slice(before)).toEqual([["tap", "confirm"]]);
  });

  test("[RISK-01] [UX-02] high risk is a tap and a slide to the end; short of it, or pressed beside the thumb, it springs back", async () => {
    await propose(cockpit, highPlan());
    await untilIdle(cockpit);
    const card = await openReview(opened, cockpit);
    const before = minted().length;
    await approve(card).tap();
    const slider = card.getByRole("slider");
    await expect
      .poll(() => slider.getAttribute("aria-valuetext"))
      .toBe("Slide to approve: Keep to the goal: Keep the workshop page answering");
    await slide(slider, 0.9);
    await expect.poll(() => slider.inputValue()).toBe("0");
    const { x, y, width, height } = await boxAtRest(slider);
    await page.mouse.click(x + width - 4, y + height / 2);
    await expect.poll(() => slider.inputValue()).toBe("0");
    await slider.press("Enter");
    await slider.press("End");
    await page.keyboard.press("Tab");
    await expect.poll(() => slider.inputValue()).toBe("0");
    expect(minted().length).toBe(before);
    await slide(slider, 1);
    await page.getByTestId("nothing").waitFor();
    expect(minted().slice(before)).toEqual([["tap", "slide"]]);
  });

  test("a slide has a way by keyboard, and one by two buttons at two places", async () => {
    const before = minted().length;
    await propose(cockpit, highPlan("Keep the first page answering"));
    const card = await openReview(opened, cockpit);
    await approve(card).focus();
    await page.keyboard.press("Enter");
    await untilFocused(card.getByRole("slider"));
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByTestId("nothing").waitFor();
    await untilIdle(cockpit);
    await propose(cockpit, highPlan("Keep the second page answering"));
    await card.waitFor();
    await approve(card).tap();
    await card.getByRole("button", { name: "Use buttons instead" }).tap();
    const arm = card.getByRole("button", { name: /^Arm/ });
    const first = await boxAtRest(arm);
    await arm.tap();
    const confirm = card.getByTestId("confirm");
    expect(overlap(first, await boxOf(confirm))).toBe(false);
    await confirm.tap();
    await page.getByTestId("nothing").waitFor();
    expect(minted().slice(before)).toEqual([
      ["tap", "slide"],
      ["tap", "slide"],
    ]);
  });

  test("[RISK-02] what cannot be undone still takes tap and slide where there is no passkey, and says that there is none", async () => {
    await proposePayload(cockpit, deletion());
    await untilIdle(cockpit);
    const card = await openReview(opened, cockpit);
    const before = minted().length;
    await approve(card).tap();
    await card.getByRole("slider").waitFor();
    expect(await card.getByTestId("passkey-step").count()).toBe(0);
    await slide(card.getByRole("slider"), 1);
    const step = card.getByTestId("passkey-step");
    await step.getByRole("heading", { name: "This device has no passkey" }).waitFor();
    expect(minted().length).toBe(before);
    await expect
      .poll(() => step.getByRole("link", { name: "Add passkey" }).getAttribute("href"))
      .toContain("/settings");
    await step.getByRole("button", { name: "Sign without a passkey" }).tap();
    await page.getByTestId("nothing").waitFor();
    expect(minted().slice(before)).toEqual([["tap", "slide"]]);
  });

  test("neither Escape nor a swipe nor a held key decides", async () => {
    await propose(cockpit, mediumPlan());
    const card = await openReview(opened, cockpit);
    const before = asked.filter(({ verb }) => verb === "decide" || verb === "mint").length;
    await approve(card).waitFor();
    await page.keyboard.press("Escape");
    const { x, y, width } = await boxAtRest(card);
    for (const [from, to] of [
      [x + 10, x + width - 10],
      [x + width - 10, x + 10],
    ] as const) {
      await page.mouse.move(from, y + 60);
      await page.mouse.down();
      await page.mouse.move(to, y + 60, { steps: 6 });
      await page.mouse.up();
    }
    await approve(card).focus();
    await page.keyboard.down("Enter");
    for (let times = 0; times < 5; times += 1) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await card.getByTestId("confirm").waitFor();
    await expect.poll(() => card.getByTestId("decide").getAttribute("aria-busy")).toBe("false");
    await summaryOf(page);
    expect(asked.filter(({ verb }) => verb === "decide" || verb === "mint").length).toBe(before);
    await expect.poll(() => card.getAttribute("data-state")).toBe("pending");
  });

  test("a browser whose key nobody confirmed says how to let it sign, and declines all the same", async () => {
    const { request_id: id } = await propose(cockpit, mediumPlan());
    const other = await cockpit.open({ viewport: DESKTOP });
    const card = await openReview(other, cockpit, id);
    await card.getByTestId("cannot-sign").waitFor();
    expect(await card.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
    await card.getByRole("button", { name: "Decline: nothing runs" }).click();
    await other.page.getByTestId("nothing").waitFor();
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });

  test("[FATIGUE-06] no control of a card is ever dead while it is shown, whatever its risk and whatever the cues say", async () => {
    const cards = [
      (await propose(cockpit, mediumPlan())).request_id,
      (await propose(cockpit, highPlan())).request_id,
      (await proposePayload(cockpit, deletion())).request_id,
    ];
    await inTransit<object>(page, "summary", (body) => ({
      ...body,
      is_dense: true,
      fatigue: { median_ms: 200, decisions: 20, is_fast: true },
    }));
    await page.addInitScript(WATCH_CONTROLS);
    for (const id of cards) {
      await openReview(opened, cockpit, id);
      await activeCard(page).getByTestId("decide").waitFor();
      await page.getByTestId("fast").waitFor();
      await page.getByTestId("dense").waitFor();
      await activeCard(page).locator("[data-testid=decide] button").first().waitFor();
      const { seen, dead } = await page.evaluate<{ readonly seen: number; readonly dead: readonly string[] }>(
        "controls",
      );
      expect(seen).toBeGreaterThan(1);
      expect(dead).toEqual([]);
    }
  });
});
