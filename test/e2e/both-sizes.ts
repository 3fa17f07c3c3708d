/** Both sizes a surface is tried at: a browser of its own for each, which never complained in the end. */
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Locator, Page } from "playwright-core";
import { DESKTOP, PHONE, type Cockpit, type Opened } from "./browser.ts";

const SIZES = [
  { name: "375 px", viewport: PHONE },
  { name: "1280 px", viewport: DESKTOP },
] as const;

type AtSize = {
  readonly viewport: (typeof SIZES)[number]["viewport"];
  readonly name: string;
  readonly page: () => Page;
  /** A title that no test at the other size uses. */
  readonly titled: (title: string) => string;
};

export function atEachSize(cockpit: () => Cockpit, tests: (at: AtSize) => void): void {
  describe.each(SIZES)("at $name", ({ name, viewport }) => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await cockpit().open({ viewport });
    });
    afterAll(async () => {
      expect(opened.complaints).toEqual([]);
      await opened.context.close();
    });
    tests({ name, viewport, page: () => opened.page, titled: (title) => `${title} (${name})` });
  });
}

export const taskRow = (page: Page, title: string): Locator =>
  page.getByTestId("task-list").locator("[data-task]", { hasText: title });

/** True when the line of the present, or the first block, stands within the part of the hours that is shown. */
export const HOURS_IN_SIGHT = `(() => {
  const at = document.querySelector("[data-testid=now], [data-block]").getBoundingClientRect();
  const box = document.querySelector("[aria-label='Hours of the day']").getBoundingClientRect();
  return at.top >= box.top && at.top < box.bottom;
})()`;
