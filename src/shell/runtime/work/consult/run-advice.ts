import { LIMITS } from "#base";
import { isAwaited, questionTokens, type Consultation } from "#model";
import { adviceMessages, plannerSystem, type Opening } from "#turn";
import { askPlanner, type PlannerAnswer } from "./ask-planner.ts";
import type { ConsultDeps } from "./deps.ts";
import { fail, faulty, type Went } from "./fail.ts";
import { loadFailed, type FailedPlan } from "./load-failed.ts";
import { shownFailure, throughGates } from "./shown.ts";

/**
 * Asks the planner for advice, once and as far as the budget of the run goes. Advice that comes when nobody waits for it
 * any more finds its record moved on, and changes nothing. [CONSULT-01] [CONSULT-02] [BUD-05]
 */
export async function runAdvice(deps: ConsultDeps, consultation: Consultation): Promise<Went> {
  const found = await loadFailed(deps, consultation);
  if (!found.ok) return "retryable" in found.error ? faulty(found.error) : "broken";
  if (!isAwaited(found.value.run, consultation)) return fail(deps, { consultation, failure: "advice_unneeded" });
  const opening = await prepare(deps, found.value);
  if (opening === null) return fail(deps, { consultation, failure: "advice_over_budget" });
  const answered = await askPlanner(deps, { consultation, opening });
  return answered.ok ? conclude(deps, answered.value) : answered.error;
}

/** The whole question, all of it material from outside; null when too little of the run's budget is left for it. */
async function prepare(deps: ConsultDeps, failed: FailedPlan): Promise<Opening | null> {
  const { run, request, item } = failed;
  const system = plannerSystem(deps.settings.constitution);
  const failure = await shownFailure(deps, failed);
  const messages = adviceMessages({ plan: request.markdown, run, failure });
  const left = item.budget.maxTokens - run.budgetUsed.tokens - questionTokens({ system, messages, tools: [] });
  const outputTokensMax = Math.min(deps.settings.outputTokensMax, left);
  if (outputTokensMax < LIMITS.modelAnswerTokensMin) return null;
  return { purpose: "advice", system, messages, tools: [], taint: "external", outputTokensMax };
}

async function conclude(deps: ConsultDeps, { asked, end }: PlannerAnswer): Promise<Went> {
  const said = await throughGates(deps, { message: end.text });
  if (said === null || said.trim() === "") return fail(deps, { consultation: asked, failure: "answer_held_back" });
  const at = deps.clock.now();
  const guidance = said.slice(0, LIMITS.adviceChars);
  const ended: Consultation = { ...asked, state: "ended", guidance, endedAt: at };
  const moved = await deps.consults.move({ from: "asking", consultation: ended, at });
  deps.onChanged();
  return !moved.ok && "retryable" in moved.error ? faulty(moved.error) : "over";
}
