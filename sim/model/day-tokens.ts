import type { Instant } from "#base";
import type { ModelLedger } from "#engine";

type Spent = { readonly tokens: number; readonly at: Instant };

/**
 * Whether the calls of the last day came to exactly so many tokens, by what the budget of the day lets through: a call
 * of no tokens fits into a budget of that size, and not into one that is smaller by one token.
 */
export async function daySpent(calls: Pick<ModelLedger, "reserve">, { tokens, at }: Spent): Promise<boolean> {
  const fits = (tokensPerDay: number): Promise<boolean> =>
    calls.reserve({ ...NOTHING, callId: `probe-${tokens}-${tokensPerDay}-${at}`, tokensPerDay }, at);
  return !(await fits(tokens - 1)) && (await fits(tokens));
}

const NOTHING = {
  purpose: "planner",
  promptVersion: 1,
  subjectId: null,
  scopeId: "owner",
  taint: "owner",
  tokens: 0,
} as const;
