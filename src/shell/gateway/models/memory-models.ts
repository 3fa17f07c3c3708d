import { err, estimateTokens, LIMITS, ok, sha256Hex } from "#base";
import { placeWords, type ModelQuestion, type ModelRefusal, type ModelSetting } from "#model";
import type { ModelGateway } from "#ports";
import { createAnswerText } from "../lookout.ts";
import { createJsonForm, encodeQuestion } from "./json-calls.ts";

/** A question as a scripted model reads it, which calls tools in text. */
type ScriptedQuestion = {
  readonly system: string;
  /** All messages, one after the other. */
  readonly prompt: string;
  readonly outputTokensMax: number;
  /** As it was asked. */
  readonly question: ModelQuestion;
};
/** What the model says next, in one delta or in several; asked once for each question that left. */
export type ModelScript = (question: ScriptedQuestion) => string | readonly string[] | ModelRefusal;
type MemoryModels = ModelGateway & { readonly asked: readonly ScriptedQuestion[] };

/** The in-memory twin of the way to a model: the same promises about what leaves, and no network. */
export function createMemoryModels(script: ModelScript, setting: ModelSetting = SET): MemoryModels {
  const asked: ScriptedQuestion[] = [];
  return {
    setting,
    asked,
    async ask({ signal, onLeave, onText, ...question }) {
      if (setting.kind === "absent") return err({ code: "model_absent" });
      const { place } = setting;
      const { texts, ...seen } = scripted(question);
      const body = JSON.stringify({ system: seen.system, texts });
      const bytes = Buffer.byteLength(body);
      if (bytes > LIMITS.modelQuestionBytes) return err({ code: "model_question_too_large" });
      const leaving = { host: placeWords(place), model: place.model, bytes, sha256: sha256Hex(body), keyRef: null };
      if (!(await onLeave(leaving))) return err({ code: "model_not_recorded" });
      if (signal.aborted) return err({ code: "model_interrupted" });
      asked.push(seen);
      const said = script(seen);
      if (typeof said === "object" && "code" in said) return err(said);
      const deltas = typeof said === "string" ? [said] : said;
      const text = createAnswerText({ form: createJsonForm(question), key: null, onText });
      for (const delta of deltas) {
        const failure = text.take(delta);
        if (failure !== null) return err({ code: failure });
      }
      const parts = text.end([]);
      if (!parts.ok) return parts;
      const whole = deltas.join("");
      return ok({
        parts: parts.value,
        finish: parts.value.some(({ kind }) => kind === "tool_call") ? "tool_calls" : "stop",
        bytesReceived: Buffer.byteLength(whole),
        tokensIn: estimateTokens(seen.system.length + texts.join("").length),
        tokensOut: estimateTokens(whole.length),
      });
    },
  };
}

function scripted(question: ModelQuestion): ScriptedQuestion & { readonly texts: readonly string[] } {
  const { system, messages, outputTokensMax } = encodeQuestion(question);
  const texts = messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : "")).join(""));
  return { system: system.join("\n\n"), prompt: texts.join("\n"), outputTokensMax, question, texts };
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
