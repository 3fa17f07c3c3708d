import { MODEL_FAILURE_WORDS } from "./model-words.ts";
import type { Turn, TurnFailure } from "./turn.ts";

/** Why there is no reply, as the end of a sentence. */
export function turnFailureWords(reason: TurnFailure): string {
  if (reason === "turn_interrupted") return "Silas was stopped while the model was thinking; it is not asked twice";
  if (reason === "turn_given_up") return "it failed again and again, and was set aside";
  if (reason === "turn_stopped") return "you stopped it";
  return MODEL_FAILURE_WORDS[reason];
}

/** How a turn without a whole reply ended; null for one that has it. */
export function turnEndWords({ reply, failure }: Pick<Turn, "reply" | "failure">): string | null {
  if (failure === null) return null;
  if (failure === "turn_stopped" && reply !== null) return "Stopped.";
  return `No answer: ${turnFailureWords(failure)}.`;
}

/** What follows the reply at a terminal: how it ended, what waits for a decision, and what was left out. */
export function turnNotes(turn: Turn): readonly string[] {
  const { reply, plan, leftOut, taint } = turn;
  const ended = turnEndWords(turn);
  const end = ended === null ? [] : [ended];
  if (reply === null) return end;
  return [
    ...end,
    ...(plan?.request_id == null ? [] : [`A plan waits for your decision: \`silas approve ${plan.request_id}\`.`]),
    ...(plan?.refused == null ? [] : [`Its plan was not put to you: ${plan.refused}`]),
    ...leftOut.map((part) => `Not shown to the model: ${part}.`),
    ...(taint === "external" ? ["Made from something others wrote: check it before you rely on it."] : []),
  ];
}
