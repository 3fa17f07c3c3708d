/** Replies that stream, in the page: text grows before the provider has ended, Stop ends it, Retry asks again. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { KeptMessageBody, ToldTurnBody } from "#model";
import { DESKTOP, PHONE, startCockpit, type Cockpit } from "./browser.ts";
import { startLoopbackModel, type LoopbackModel } from "./loopback-model.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { asTerminal } from "./review-desk.ts";
import { createSlowAnswer, type SlowAnswer } from "./slow-answer.ts";

let cockpit: Cockpit;
let model: LoopbackModel;
let slow: SlowAnswer;
beforeAll(async () => {
  model = await startLoopbackModel(() => slow.said);
  cockpit = await startCockpit(model.env);
});
beforeEach(() => void (slow = createSlowAnswer()));
afterAll(async () => {
  await cockpit.close();
  model.close();
});

type Listed = { readonly messages: readonly KeptMessageBody[]; readonly turns: readonly ToldTurnBody[] };
const listed = (): Promise<Listed> => asTerminal<Listed>(cockpit, "/api/messages");
const newestTurn = async (): Promise<ToldTurnBody | undefined> => {
  const { messages, turns } = await listed();
  return turns.find(({ message_id }) => message_id === messages[0]?.message_id);
};
const answerIn = (page: Page) => page.getByRole("region", { name: "Silas" }).last();
const stopIn = (page: Page) => page.getByRole("button", { name: "Stop", exact: true });

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Say something to Silas").fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  // The answers above have ended, so that the newest one is the only one that can be stopped.
  await stopIn(page).waitFor();
}

test("[WEB-10] the first words are in the page before the model has said the last; the stored turn takes their place in the same element", async () => {
  const { page, complaints } = await cockpit.open({ viewport: PHONE });
  await page.goto(`${cockpit.url()}/talk`);
  await say(page, "tell me");
  await expect.poll(() => answerIn(page).innerText()).toContain("word 40 ");
  expect([slow.wentOn(), await answerIn(page).getAttribute("aria-busy")]).toEqual([false, "true"]);
  for (const [viewport, colorScheme] of [
    [PHONE, "light"],
    [DESKTOP, "dark"],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await stopIn(page).waitFor();
    await expect.poll(async () => [await faultsOf(page), await sidewaysOf(page)]).toEqual([[], 0]);
  }
  // A page that opens in the middle has the text so far.
  const { page: later } = await cockpit.open({ viewport: DESKTOP });
  await later.goto(`${cockpit.url()}/talk`);
  await expect.poll(() => answerIn(later).innerText()).toContain("word 40 ");
  const words = await answerIn(page).locator("[dir=auto]").elementHandle();
  slow.goOn();
  await expect.poll(() => answerIn(page).getAttribute("data-state")).toBe("ended");
  expect(await words?.innerText()).toBe(slow.words);
  await expect.poll(() => answerIn(later).innerText()).toContain(slow.words);
  expect([await stopIn(page).count(), complaints]).toEqual([0, []]);
});

test.each(["button", "Escape"])(
  "Stop by %s closes the connection to the model and keeps what was shown",
  async (how) => {
    const cutBefore = model.cutCount();
    const { page } = await cockpit.open({ viewport: DESKTOP });
    await page.goto(`${cockpit.url()}/talk`);
    await say(page, "tell me");
    await expect.poll(() => answerIn(page).innerText()).toContain("word 40 ");
    if (how === "button") await stopIn(page).click();
    else await page.keyboard.press("Escape");
    await expect.poll(() => answerIn(page).innerText()).toContain("Stopped.");
    expect(await answerIn(page).innerText()).toContain("word 40 ");
    await expect.poll(() => model.cutCount() - cutBefore).toBe(1);
    expect(slow.wentOn()).toBe(false);
    const turn = await newestTurn();
    expect(turn).toMatchObject({ state: "failed", failure: "turn_stopped" });
    expect(slow.words.startsWith(turn?.reply ?? "none")).toBe(true);
  },
);

test("an answer that was lost when Silas ended offers Retry, which sends the same words as a new message", async () => {
  const { page } = await cockpit.open({ viewport: DESKTOP });
  await page.goto(`${cockpit.url()}/talk`);
  await say(page, "lost words");
  await expect.poll(() => answerIn(page).innerText()).toContain("word 40 ");
  await cockpit.killServer();
  slow = createSlowAnswer();
  slow.goOn();
  await cockpit.startServer(model.env);
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  await expect.poll(() => answerIn(page).innerText()).toContain(slow.words);
  const { messages } = await listed();
  expect(messages.slice(0, 2).map(({ text, taint, sources }) => [text, taint, sources])).toEqual([
    ["lost words", "auth", []],
    ["lost words", "auth", []],
  ]);
});
