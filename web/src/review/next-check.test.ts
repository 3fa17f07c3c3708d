import { expect, test } from "vitest";
import type { GoalSummaryBody } from "#model";
import { nextCheck } from "./next-check.ts";

const goal = (title: string, next_due: string | null, status = "healthy"): GoalSummaryBody =>
  ({ title, next_due, status }) as GoalSummaryBody;

test("what comes next is the check that is due first, of goals that are not held", () => {
  const [early, late] = ["2026-11-17T02:00:00.000Z", "2026-11-18T02:00:00.000Z"];
  const goals = [goal("late", late), goal("held", "2026-11-16T02:00:00.000Z", "paused"), goal("early", early)];
  expect(nextCheck([...goals, goal("by hand", null)])).toEqual({ title: "early", at: early });
  expect(nextCheck([goal("by hand", null)])).toBeNull();
});
