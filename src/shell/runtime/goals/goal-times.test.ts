import { expect, test } from "vitest";
import { err, LIMITS, ok, type Instant } from "#base";
import { createGoalTimes } from "./goal-times.ts";
import type { LoadedGoal } from "./load-goal.ts";

test("the timetables of as many goals as there may be are made once; with one more they are made again", async () => {
  const goal = { item: { schedule: "0 9 * * *" } } as LoadedGoal;
  const times = createGoalTimes({
    configured: "Europe/Berlin",
    goalOf: async (requestId) => (requestId === "gone" ? err("gone") : ok(goal)),
    clock: { now: () => "2026-11-16T09:00:00.000Z" as Instant },
  });
  const timetableOf = (requestId: string) => times.timetableOf({ requestId, timeZone: "Europe/Berlin" });
  const all = Array.from({ length: LIMITS.goalsMax }, (_, index) => `request-${index}`);
  const first = await Promise.all(all.map(timetableOf));
  const again = await Promise.all(all.map(timetableOf));
  expect(again.filter((one, index) => one !== first[index])).toHaveLength(0);
  await timetableOf("one-more");
  expect((await timetableOf("request-0")) === first[0]).toBe(false);
  expect(await timetableOf("gone")).toBeNull();
});
