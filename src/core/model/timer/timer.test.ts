import { expect, test } from "vitest";
import { everyMinutes, timerWords } from "./timer.ts";

test("a schedule is shown in words: an interval in its largest whole unit, an instant as once", () => {
  const shown = [1, 10, 60, 90, 120, 1440, 2880].map((minutes) => timerWords(everyMinutes(minutes)));
  expect(shown).toEqual([
    "every minute",
    "every 10 minutes",
    "every hour",
    "every 90 minutes",
    "every 2 hours",
    "every day",
    "every 2 days",
  ]);
  expect(timerWords("2026-11-10T09:00:00.000Z")).toBe("once");
});
