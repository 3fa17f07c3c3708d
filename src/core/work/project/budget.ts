import type { BudgetUsed } from "#model";

/** What both used, in every figure. The order in which uses are put together makes no difference. [BUD-04] */
export function mergeBudgets(one: BudgetUsed, other: BudgetUsed): BudgetUsed {
  return {
    tokens: one.tokens + other.tokens,
    costUsd: exactly(one.costUsd, other.costUsd),
    wallTimeSeconds: exactly(one.wallTimeSeconds, other.wallTimeSeconds),
    attempts: one.attempts + other.attempts,
    plannerCalls: one.plannerCalls + other.plannerCalls,
    executorRuns: one.executorRuns + other.executorRuns,
  };
}

/** Added in whole millionths: sums of binary fractions would depend on their order in the last place. */
const exactly = (one: number, other: number): number => (Math.round(one * 1e6) + Math.round(other * 1e6)) / 1e6;
