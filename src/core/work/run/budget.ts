import type { BudgetUsed, WorkItem } from "#model";

type Budget = WorkItem["budget"];
type BudgetDimension = "tokens" | "cost" | "wall_time" | "attempts";

type BudgetQuestion = { readonly used: BudgetUsed; readonly limit: Budget; readonly before: "action" | "attempt" };

/**
 * The dimension that forbids the next action, or null. Reaching a limit is using it up. Attempts forbid only the start of
 * another one: they are counted before the work, so the last would otherwise not be allowed to act. [BUD-02]
 */
export function exhausted({ used, limit, before }: BudgetQuestion): BudgetDimension | null {
  if (before === "attempt" && used.attempts >= limit.maxAttempts) return "attempts";
  if (used.tokens >= limit.maxTokens) return "tokens";
  if (used.costUsd >= limit.maxCostUsd) return "cost";
  return used.wallTimeSeconds >= limit.maxWallTimeSeconds ? "wall_time" : null;
}

/** How long one more action may take. */
export function remainingMs(used: BudgetUsed, limit: Budget): number {
  return Math.max(0, Math.ceil((limit.maxWallTimeSeconds - used.wallTimeSeconds) * 1000));
}

export const NOTHING_USED: BudgetUsed = {
  tokens: 0,
  costUsd: 0,
  wallTimeSeconds: 0,
  attempts: 0,
  plannerCalls: 0,
  executorRuns: 0,
};
