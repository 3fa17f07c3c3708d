import { expect, test } from "vitest";
import type { Instant } from "#base";
import { isKnown } from "./drafts.ts";

test("what was heard of Telegram counts for less than three days, also after the clock was set back", () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 10, 16, 9) + ms).toISOString() as Instant;
  const days = 3 * 86_400_000;
  expect([days - 1, days, 1 - days, -days].map((ms) => isKnown(at(0), at(ms)))).toEqual([true, false, true, false]);
});
