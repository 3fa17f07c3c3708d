import { MODEL_FAILURE_WORDS } from "./model-words.ts";
import type { Turn, TurnFailure } from "./turn.ts";

/** Why there is no reply, as the end of a sentence. */
export function turnFailureWords(reason: TurnFailure): string {
  if (reason === "turn_interrupted") return "Silas was stopped while the model was thinking; it is not asked twice";
  if (reason === "turn_given_up") return "it failed again and again, and was set aside";
  return MODEL_FAILURE_WORDS[reason];
}

/** A turn that is over, as it is told at a terminal: what was said, what waits for a decision, and what was left out. */
export function turnLines({ reply, plan, leftOut, failure, taint }: Turn): readonly string[] {
  if (failure !== null) return [`No answer: ${turnFailureWords(failure)}.`];
  if (reply === null) return [];
  return [
    reply,
    ...(plan?.request_id == null ? [] : [`A plan waits for your decision: \`silas approve ${plan.request_id}\`.`]),
    ...(plan?.refused == null ? [] : [`Its plan was not put to you: ${plan.refused}`]),
    ...leftOut.map((part) => `Not shown to the model: ${part}.`),
    ...(taint === "external" ? ["Made from something others wrote: check it before you rely on it."] : []),
  ];
}
