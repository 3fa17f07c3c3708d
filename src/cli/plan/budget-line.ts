import { dollars } from "#base";
import type { WorkItem } from "#model";

/** What a plan may use at most, in one line. */
export const budgetLine = (budget: WorkItem["budget"]): string =>
  [
    `${budget.maxTokens} tokens`,
    dollars(budget.maxCostUsd),
    `${budget.maxWallTimeSeconds} s`,
    `${budget.maxAttempts} attempts`,
    `${budget.maxPlannerCalls} planner calls`,
  ].join(", ");
