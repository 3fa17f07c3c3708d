import { LIMITS } from "#base";
import { MODEL_TURN, questionTokens, type BudgetUsed, type LedgerEntry } from "#model";
import { remainingMs, entryOf } from "../run/ledger.ts";
import { BUDGET_USED_UP, retry } from "../run/begin-attempt.ts";
import type { Advance, ModelState, RunEffect, RunState } from "../run/facts.ts";
import { finish, record, type Beginning } from "../run/writes.ts";
import { executorMessages, executorSystem, executorTools, instructionsFor } from "./instructions.ts";

const TOO_MANY_CALLS = `The model made ${LIMITS.modelCalls} calls and did not come to an end`;

export const withTokens = (used: BudgetUsed, tokens: number): BudgetUsed => ({ ...used, tokens: used.tokens + tokens });

/**
 * Asks the model for the next call. What the question may cost at most is taken from the budget before it is asked and
 * put right by the answer, so that no crash makes it free, and one request alone can go over. [BUD-06] [WORK-19]
 */
export function think(state: RunState & { readonly model: ModelState }, { at, entries }: Beginning): Advance {
  const { plan, run, model, pass } = state;
  if (pass.length >= LIMITS.modelCalls) return retry(state, { at, entries, error: TOO_MANY_CALLS });
  const system = executorSystem(plan);
  const instructions = instructionsFor({ ...run, body: plan.body, guidance: run.guidance ?? null });
  const messages = executorMessages({ instructions, steps: plan.steps, pass, problem: model.problem });
  const tools = executorTools(plan);
  const left = plan.budget.maxTokens - run.budgetUsed.tokens;
  const asks = questionTokens({ system: [system], messages, tools });
  const outputTokensMax = Math.min(LIMITS.modelAnswerTokens, left - asks);
  if (outputTokensMax < LIMITS.modelAnswerTokensMin)
    return finish(state, { at, status: "stuck", error: BUDGET_USED_UP.tokens, entries });
  const entry: LedgerEntry = {
    ...entryOf(state, { at, stepName: `The model chooses call ${pass.length + 1}`, tool: MODEL_TURN }),
    tokensUsed: asks + outputTokensMax,
  };
  const asking: RunState = {
    ...state,
    phase: "thinking",
    next: "attempt",
    model: { ...model, asked: entry },
    executions: state.executions + 1,
    run: { ...run, status: "running", budgetUsed: withTokens(run.budgetUsed, entry.tokensUsed) },
  };
  const ask: RunEffect = {
    kind: "ask_model",
    executionId: entry.executionId,
    stepIndex: entry.stepIndex,
    system,
    messages,
    tools,
    taint: pass.length > 0 || run.attempts > 1 ? "external" : "owner",
    outputTokensMax,
    timeoutSeconds: remainingMs(run.budgetUsed, plan.budget) / 1000,
  };
  return { state: asking, effects: [record(asking, { entries: [...entries, entry], unbegun: run }), ask] };
}
