import { expect, test } from "vitest";
import type { Cycle } from "./goal-records.ts";
import { cycleLine, scheduleWords } from "./goal-lines.ts";

test.each([
  [null, "only when you ask"],
  ["always_on", "every minute, always on"],
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["*/7 * * * *", "by */7 * * * *"],
  ["5 * * * *", "every hour at minute 5"],
  ["0 6 * * *", "every day at 06:00"],
  ["30 18 * * 1", "every Monday at 18:30"],
  ["0 9 * * 1-5", "every Monday to Friday at 09:00"],
  ["0 9 * * 7", "every Sunday at 09:00"],
  ["0 3 1 * *", "on day 1 of every month at 03:00"],
  ["0 3 1 1 *", "every year on 1 January at 03:00"],
  ["0 3 1 1 1", "by 0 3 1 1 1"],
  ["0 9 * * 1,3", "by 0 9 * * 1,3"],
  ["0 */4 * * *", "by 0 */4 * * *"],
])("the schedule %s is said as: %s", (schedule, words) => {
  expect(scheduleWords(schedule)).toBe(words);
});

test.each([
  ["waiting", "Waits for your decision: "],
  ["asking", "Waits for your decision: "],
  ["rechecking", "Checks again after its repair"],
  ["repairing", "Is being repaired"],
] as const)("a cycle that is %s is said as: %s", (state, words) => {
  const cycle = { state, ended: null, reason: null, repair: null, found: null, results: [], recheck: null };
  expect(cycleLine(cycle as unknown as Cycle).startsWith(words)).toBe(true);
});
