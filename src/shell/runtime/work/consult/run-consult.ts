import { isConsultOver, type Consultation } from "#model";
import { plannerSystem, PROPOSE_PLAN, replanMessages, responseOf, type Opening } from "#turn";
import { askPlanner } from "./ask-planner.ts";
import type { ConsultDeps } from "./deps.ts";
import { fail, faulty, type Went } from "./fail.ts";
import { loadFailed, type FailedPlan } from "./load-failed.ts";
import { proposeOther } from "./propose-other.ts";
import { runAdvice } from "./run-advice.ts";
import { shownFailure } from "./shown.ts";

/**
 * Takes one question to the planner from where it is kept to its end. INVARIANT: the model is asked once. The record says
 * so before anything leaves; one that is found there again has lost its answer, and is told so rather than asked again.
 */
export async function runConsult(deps: ConsultDeps, consultationId: string): Promise<Went> {
  const found = await deps.consults.find(consultationId);
  if (!found.ok) return faulty(found.error);
  const consultation = found.value;
  if (consultation === null || isConsultOver(consultation)) return "over";
  if (consultation.state === "asking") return fail(deps, { consultation, failure: "consult_interrupted" });
  if (await deps.isStopped()) return "later";
  if (consultation.kind === "advice") return runAdvice(deps, consultation);
  const failed = await loadFailed(deps, consultation);
  if (!failed.ok) return "retryable" in failed.error ? faulty(failed.error) : "broken";
  return consultation.state === "answered"
    ? conclude(deps, { consultation, failed: failed.value, how: "replayed" })
    : begin(deps, { consultation, failed: failed.value });
}

type Beginning = { readonly consultation: Consultation; readonly failed: FailedPlan };

async function begin(deps: ConsultDeps, { consultation, failed }: Beginning): Promise<Went> {
  const answered = await askPlanner(deps, { consultation, opening: await prepare(deps, failed) });
  if (!answered.ok) return answered.error;
  const { asked, end } = answered.value;
  const kept: Consultation = { ...asked, state: "answered", answer: JSON.stringify(responseOf(end)) };
  const moved = await deps.consults.move({ from: "asking", consultation: kept, at: deps.clock.now() });
  if (!moved.ok) return "retryable" in moved.error ? faulty(moved.error) : "over";
  return conclude(deps, { consultation: kept, failed, how: "fresh" });
}

/** The whole question. All of it is material from outside, and so is whatever is made of it. */
async function prepare(deps: ConsultDeps, failed: FailedPlan): Promise<Opening> {
  const { run, request } = failed;
  const failure = await shownFailure(deps, failed);
  return {
    purpose: "replan",
    system: plannerSystem(deps.settings.constitution),
    messages: replanMessages({ plan: request.markdown, run, failure }),
    tools: [PROPOSE_PLAN],
    taint: "external",
    outputTokensMax: deps.settings.outputTokensMax,
  };
}

type Concluding = Beginning & { readonly how: "fresh" | "replayed" };

/** What follows from an answer that is kept. Doing it again after a crash finds what was done. */
async function conclude(deps: ConsultDeps, { consultation, failed, how }: Concluding): Promise<Went> {
  const other = await proposeOther(deps, { consultation, failed, how });
  if (!other.ok) return faulty(other.error);
  if (other.value.failure !== null) {
    const { failure, refused } = other.value;
    return fail(deps, { consultation: { ...consultation, refused }, failure });
  }
  const at = deps.clock.now();
  const { requestId } = other.value;
  // What was said before the gates is kept for as long as it could be needed, and no longer. [TURN-31]
  const ended: Consultation = { ...consultation, state: "ended", answer: null, requestId, endedAt: at };
  const moved = await deps.consults.move({ from: "answered", consultation: ended, at });
  deps.onChanged();
  return !moved.ok && "retryable" in moved.error ? faulty(moved.error) : "over";
}
