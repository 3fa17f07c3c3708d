/** What no page may have, in whatever state it is. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { untilSettled } from "./browser.ts";

/** What axe finds serious or worse, in the whole page or in these parts of it, once the page has settled. */
export async function faultsOf(page: Page, within: readonly string[] = []): Promise<readonly string[]> {
  await untilSettled(page);
  // Everything is in one document, so nothing has to be gathered in a second page; and only what is wrong is described.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  for (const part of within) axe.include(part);
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
}

/** By how much the page is wider than its window, once it has settled. */
export async function sidewaysOf(page: Page): Promise<number> {
  await untilSettled(page);
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
