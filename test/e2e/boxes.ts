/** Where things of a page are. */
import type { Locator } from "playwright-core";
import { expect } from "vitest";

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
export async function boxOf(of: Locator): Promise<Box> {
  const box = await of.boundingBox();
  if (box === null) throw new Error("not in sight");
  return box;
}
/** Where it stays: what comes into sight beside it, or takes the focus, may move it first. */
export async function boxAtRest(of: Locator): Promise<Box> {
  let box = await boxOf(of);
  const isAtRest = async (): Promise<boolean> => {
    const before = box;
    box = await boxOf(of);
    return JSON.stringify(before) === JSON.stringify(box);
  };
  await expect.poll(isAtRest, { interval: 100 }).toBe(true);
  return box;
}
export const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** One card, not scrolled: its body under the bar, its choices below it and above the tabs. */
export const ON_ONE_SCREEN = `(() => {
  const box = (one) => document.querySelector(one).getBoundingClientRect();
  const [bar, body, choices] = ["header", "[data-testid=card-body]", "[data-testid=decide]"].map(box);
  const tabs = Math.max(...[...document.querySelectorAll("nav")].map((each) => each.getBoundingClientRect().top));
  const isWhole = bar.bottom <= body.top && body.bottom <= choices.top && choices.bottom <= tabs;
  const cards = document.querySelectorAll("article").length;
  return isWhole && cards === 1 && scrollY === 0 ? "whole" : JSON.stringify([bar, body, choices, tabs, cards, scrollY]);
})()`;

/** Notes every control of a card in the moment it appears or changes, so that not even a short pause goes unseen. */
export const WATCH_CONTROLS = `window.controls = { seen: 0, dead: [] };
  new MutationObserver((changes) => {
    const touched = changes.flatMap(({ target, addedNodes }) => [target, ...addedNodes]).filter((each) => each instanceof Element);
    const found = touched.flatMap((each) => [each, ...each.querySelectorAll("button, input, [role=slider]")]);
    for (const control of new Set(found.filter((each) => each.matches(
      "article[data-card-type] :is(button, input, [role=slider])")))) {
      controls.seen += 1;
      const pointer = getComputedStyle(control).pointerEvents;
      if (control.disabled || control.ariaDisabled === "true" || control.closest("[inert]") !== null || pointer === "none")
        controls.dead.push(control.outerHTML.slice(0, 200));
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });`;
