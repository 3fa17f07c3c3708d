import type { RunState } from "../run/facts.ts";

/**
 * What came of asking the planner, taken up by the write that begins the next attempt or ends the run, and by no other:
 * until then the run says that it waits, so that whatever is interrupted hears it again and pays for it once. Advice is
 * text for the model that works; nothing that was approved is touched. [BUD-05] [CONSULT-03] [CONSULT-11]
 */
export function withAdvice(state: RunState): RunState {
  const { consult, guidance: _before, ...run } = state.run;
  if (consult === undefined) return state;
  const { guidance, tokensUsed } = state.advice ?? NONE;
  const budgetUsed = { ...run.budgetUsed, tokens: run.budgetUsed.tokens + tokensUsed };
  return { ...state, advice: null, run: { ...run, budgetUsed, ...(guidance === null ? {} : { guidance }) } };
}

const NONE = { guidance: null, tokensUsed: 0 } as const;
