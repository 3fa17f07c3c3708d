import { asResult, converse, type ModelCallDeps } from "#engine";
import { MODEL_FAILURE_WORDS, type Config, type ModelFailure } from "#model";
import type { Timers } from "#ports";
import { moveText, type ModelQuestioning, type ModelSilent, type ModelSpoke } from "#work";

export type RunModelDeps = ModelCallDeps & {
  readonly timers: Timers;
  readonly settings: Pick<Config["models"], "tokensPerDay">;
};

/** The model that carries out work, one question at a time. */
export type RunModel = {
  /** Nobody waits for the answer any more once `stopping` is settled. */
  ask(runId: string, question: ModelQuestioning, stopping: Promise<void>): Promise<ModelSpoke | ModelSilent>;
};

/**
 * Passes facts between the run machine and the conversation machine: a question of the run is one step of a conversation
 * whose history is the ledger of the attempt, and the run judges what the answer calls. [WORK-19]
 */
export function createRunModel(deps: RunModelDeps): RunModel {
  return {
    async ask(runId, { system, messages, tools, taint, outputTokensMax, timeoutSeconds }, stopping) {
      const controller = new AbortController();
      const stop = (): void => controller.abort();
      void stopping.then(stop);
      const inTime = deps.timers.after(Math.max(1, Math.floor(timeoutSeconds * 1000)), stop);
      const outcome = await asResult(
        converse(deps, {
          opening: { purpose: "executor", system: [system], messages, tools, taint, outputTokensMax },
          subject: { subjectId: runId, scopeId: "owner", messageId: null, tokensPerDay: deps.settings.tokensPerDay },
          signal: controller.signal,
        }),
      ).finally(inTime);
      if (!outcome.ok || outcome.value.kind === "not_begun") return silent("model_not_recorded");
      if (outcome.value.kind === "failed") return silent(outcome.value.failure);
      return { spoke: true, text: moveText(outcome.value.parts), tokensUsed: outcome.value.tokens };
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
