import { MODEL_FAILURE_WORDS, type Config, type ModelFailure } from "#model";
import type { AuditLog, Clock, ModelGateway, Randomness, Timers, TokenCount } from "#ports";
import type { ModelQuestioning, ModelSilent, ModelSpoke } from "#work";
import { askOnce } from "../../talk/ask-model.ts";
import { hasRoom } from "../../talk/day-tokens.ts";

export type RunModelDeps = {
  readonly models: ModelGateway;
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
  /** Everything that uses tokens of the day, this question among it. */
  readonly counts: readonly TokenCount[];
  readonly settings: Pick<Config["models"], "tokensPerDay">;
};

/** The model that carries out work, one question at a time. */
export type RunModel = {
  /** Nobody waits for the answer any more once `stopping` is settled. */
  ask(question: ModelQuestioning, stopping: Promise<void>): Promise<ModelSpoke | ModelSilent>;
};

/**
 * Asks through the one way out, with its receipt. INVARIANT: what the question may cost is kept in the ledger before it
 * is asked, so that the tokens of the day hold it already, however many runs ask at once. [WORK-19] [BUD-06]
 */
export function createRunModel(deps: RunModelDeps): RunModel {
  return {
    async ask({ system, prompt, taint, outputTokensMax, timeoutSeconds }, stopping) {
      const { tokensPerDay } = deps.settings;
      if (!(await hasRoom(deps, { tokens: 0, tokensPerDay }))) return silent("model_budget_spent");
      const controller = new AbortController();
      const stop = (): void => controller.abort();
      void stopping.then(stop);
      const inTime = deps.timers.after(Math.max(1, Math.floor(timeoutSeconds * 1000)), stop);
      const halting = { signal: () => controller.signal, halt: stop };
      const question = { messageId: null, system, prompt, taint, outputTokensMax };
      const answer = await askOnce({ ...deps, halting }, question);
      inTime();
      if (!answer.ok) return silent(answer.error.code);
      const { text, tokensIn, tokensOut } = answer.value;
      return { spoke: true, text, tokensUsed: tokensIn + tokensOut };
    },
  };
}

/** What another attempt would meet in the same way. */
const LASTING: ReadonlySet<ModelFailure> = new Set([
  "model_absent",
  "model_key_missing",
  "model_key_refused",
  "model_redirects",
  "model_refused",
  "model_not_recorded",
  "model_budget_spent",
]);

const silent = (code: ModelFailure): ModelSilent => ({
  spoke: false,
  error: MODEL_FAILURE_WORDS[code],
  ...(LASTING.has(code) ? { held: "blocked" as const } : {}),
});
