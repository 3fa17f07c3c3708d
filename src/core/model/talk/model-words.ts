import type { ModelAbsence } from "./model-place.ts";

/** Why a model gave no answer. Codes, never what it or its provider said. */
export const MODEL_FAILURES = [
  "model_absent",
  "model_key_missing",
  "model_key_refused",
  "model_unreachable",
  "model_redirects",
  "model_busy",
  "model_timeout",
  "model_failed",
  "model_refused",
  "model_unreadable",
  "model_answer_too_large",
  "model_question_too_large",
  "model_shows_key",
  "model_not_recorded",
  "model_budget_spent",
  "model_interrupted",
] as const;
export type ModelFailure = (typeof MODEL_FAILURES)[number];
export type ModelRefusal = {
  readonly code: ModelFailure;
  /** The provider refused an extra that no question has any more: the same question may be accepted now. */
  readonly isWorthAgain?: true;
};

/** The end of "No answer: ...". */
export const MODEL_FAILURE_WORDS: { readonly [F in ModelFailure]: string } = {
  model_absent: "no AI model is set up",
  model_key_missing: "its key is not in the vault, or the vault is locked",
  model_key_refused: "it refused the key",
  model_unreachable: "nobody answered at its address",
  model_redirects: "it pointed to another address, and that is not followed",
  model_busy: "it has too much to do now, or your limit there is reached",
  model_timeout: "it took too long",
  model_failed: "it had an error of its own",
  model_refused: "it does not take such a question; its name may be wrong",
  model_unreadable: "what it said is no answer",
  model_answer_too_large: "it said too much",
  model_question_too_large: "the question was too long for it",
  model_shows_key: "its answer held the key, and was not kept",
  model_not_recorded: "it could not be recorded what would be sent, and then nothing is",
  model_budget_spent: "the limit of tokens for a day is reached",
  model_interrupted: "Silas was stopped while it was thinking",
};

export const MODEL_ABSENCE_WORDS: { readonly [A in ModelAbsence]: string } = {
  key_missing: "no key is set for it",
  provider_unknown: "its provider is not known here",
  address_missing: "no address is set for it",
  address_refused: "its address is neither on this machine nor encrypted on the open internet",
};

/** What the owner can do about it. */
export const modelNext = (code: ModelFailure): string => NEXT[code] ?? "`silas models test` tries it.";
const NEXT: { readonly [F in ModelFailure]?: string } = {
  model_absent: "`silas models show` says what is missing.",
  model_key_missing: "`silas secrets set` puts a key into the vault; `silas models show` names it.",
  model_key_refused: "Put a valid key where `silas models show` says.",
  model_budget_spent: "`models.tokens_per_day` is the limit; it is counted over the last 24 hours.",
};

/** `POST /api/models/test`: what came of one plain question. */
export type ModelTriedBody =
  | { readonly answered: true; readonly bytes_received: number; readonly tokens: number; readonly understood: boolean }
  | { readonly answered: false; readonly failure: ModelFailure };
