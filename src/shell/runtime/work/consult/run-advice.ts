import { estimateTokens, LIMITS } from "#base";
import { isAwaited, type Consultation, type ConsultFailure } from "#model";
import { advicePrompt, plannerSystem, readAnswer } from "#turn";
import { askOnce, type Asking } from "../../talk/ask-model.ts";
import { hasRoom } from "../../talk/day-tokens.ts";
import type { ConsultDeps } from "./deps.ts";
import { fail, faulty, notAsked, type Went } from "./fail.ts";
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
  const asking = await prepare(deps, found.value);
  if (asking === null) return fail(deps, { consultation, failure: "advice_over_budget" });
  const reserved = estimateTokens(asking.system.length + asking.prompt.length) + asking.outputTokensMax;
  if (!(await hasRoom(deps, { tokens: reserved, tokensPerDay: deps.settings.tokensPerDay })))
    return fail(deps, { consultation, failure: "model_budget_spent" });
  const at = deps.clock.now();
  const { taint } = asking;
  const asked: Consultation = { ...consultation, state: "asking", askedAt: at, taint, tokensUsed: reserved };
  const moved = await deps.consults.move({ from: "waiting", consultation: asked, at });
  if (!moved.ok) return notAsked(deps, { consultation, error: moved.error });
  deps.onChanged();
  return conclude(deps, { asked, asking });
}

type Limited = Asking & { readonly outputTokensMax: number };

/** The whole question, all of it material from outside; null when too little of the run's budget is left for it. */
async function prepare(deps: ConsultDeps, failed: FailedPlan): Promise<Limited | null> {
  const { run, request, item } = failed;
  const system = plannerSystem(deps.settings.constitution);
  const failure = await shownFailure(deps, failed);
  const prompt = advicePrompt({ plan: request.markdown, run, failure });
  const left = item.budget.maxTokens - run.budgetUsed.tokens - estimateTokens(system.length + prompt.length);
  const outputTokensMax = Math.min(deps.settings.outputTokensMax, left);
  if (outputTokensMax < LIMITS.modelAnswerTokensMin) return null;
  return { messageId: null, system, prompt, taint: "external", outputTokensMax };
}

type Concluding = { readonly asked: Consultation; readonly asking: Limited };

async function conclude(deps: ConsultDeps, { asked, asking }: Concluding): Promise<Went> {
  const answer = await askOnce(deps, asking);
  // Whether anything of it was worked on is not known, so that what it may have cost stays used.
  if (!answer.ok) return fail(deps, { consultation: asked, failure: answer.error.code });
  const { text, tokensIn, tokensOut } = answer.value;
  const paid: Consultation = { ...asked, tokensUsed: tokensIn + tokensOut };
  const without = (failure: ConsultFailure): Promise<Went> => fail(deps, { consultation: paid, failure });
  const response = readAnswer(text);
  if (!response.ok) return without("model_unreadable");
  const said = await throughGates(deps, response.value);
  if (said === null || said.trim() === "") return without("answer_held_back");
  const at = deps.clock.now();
  const guidance = said.slice(0, LIMITS.adviceChars);
  const moved = await deps.consults.move({
    from: "asking",
    consultation: { ...paid, state: "ended", guidance, endedAt: at },
    at,
  });
  deps.onChanged();
  return !moved.ok && "retryable" in moved.error ? faulty(moved.error) : "over";
}
