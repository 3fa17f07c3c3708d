import { err, estimateTokens, LIMITS, ok, sha256Hex } from "#base";
import { placeWords, type ModelRefusal, type ModelSetting } from "#model";
import type { ModelGateway, ModelQuestion } from "#ports";

/** What the model says next; asked once for each question that left. */
export type ModelScript = (question: ModelQuestion) => string | ModelRefusal;
type MemoryModels = ModelGateway & { readonly asked: readonly ModelQuestion[] };

/** The in-memory twin of the way to a model: the same promises about what leaves, and no network. */
export function createMemoryModels(script: ModelScript, setting: ModelSetting = SET): MemoryModels {
  const asked: ModelQuestion[] = [];
  return {
    setting,
    asked,
    async ask(question) {
      if (setting.kind === "absent") return err({ code: "model_absent" });
      const { place } = setting;
      const body = JSON.stringify({ system: question.system, prompt: question.prompt });
      const bytes = Buffer.byteLength(body);
      if (bytes > LIMITS.modelQuestionBytes) return err({ code: "model_question_too_large" });
      const leaving = { host: placeWords(place), model: place.model, bytes, sha256: sha256Hex(body), keyRef: null };
      if (!(await question.onLeave(leaving))) return err({ code: "model_not_recorded" });
      if (question.signal.aborted) return err({ code: "model_interrupted" });
      asked.push(question);
      const said = script(question);
      if (typeof said !== "string") return err(said);
      return ok({
        text: said,
        bytesReceived: Buffer.byteLength(said),
        tokensIn: estimateTokens(question.system.length + question.prompt.length),
        tokensOut: estimateTokens(said.length),
      });
    },
  };
}

const SET: ModelSetting = {
  kind: "set",
  place: {
    provider: "compatible",
    model: "scripted",
    baseUrl: "http://127.0.0.1:9/v1",
    host: "127.0.0.1",
    port: 9,
    reach: "local",
    key: { kind: "none" },
  },
};
