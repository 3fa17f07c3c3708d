import { dollars } from "#base";
import type { WorkItem } from "#model";

/** What a plan may use at most, in one line. */
export const budgetLine = (budget: WorkItem["budget"]): string =>
  [
    `${budget.maxTokens} tokens`,
    dollars(budget.maxCostUsd),
    `${budget.maxWallTimeSeconds} s`,
    counted(budget.maxAttempts, "attempt"),
    counted(budget.maxPlannerCalls, "planner call"),
  ].join(", ");

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
