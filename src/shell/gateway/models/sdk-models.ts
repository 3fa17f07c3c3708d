import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
import { err, estimateTokens, isWellFormed, LIMITS, ok, type Result } from "#base";
import type { ModelPlace, ModelRefusal } from "#model";
import type { ModelAnswer, ModelQuestion } from "#ports";
import { postTo, type Posting } from "./pinned-post.ts";

type SdkAsking = Omit<Posting, "onLeave" | "signal" | "place"> & {
  readonly place: ModelPlace;
  readonly outputTokensMax: number;
};

/**
 * One question through the SDK. It is given a model object and a way of connecting that knows one address. Its own tries
 * are turned off: every question that leaves is one that was asked here.
 */
export async function askSdk(asking: SdkAsking, question: ModelQuestion): Promise<Result<ModelAnswer, ModelRefusal>> {
  const { place, outputTokensMax } = asking;
  let refused: ModelRefusal = { code: "model_unreadable" };
  let bytesReceived = 0;
  const url = `${place.baseUrl}/chat/completions`;
  const post = async (to: unknown, init: { readonly body?: unknown } = {}): Promise<Response> => {
    const { body } = init;
    if (String(to) !== url || typeof body !== "string") throw new Error("model_unreachable");
    const posted = await postTo({ ...asking, onLeave: question.onLeave, signal: question.signal }, body);
    if (!posted.ok) {
      refused = posted.error;
      throw new Error(posted.error.code);
    }
    bytesReceived = posted.value.body.length;
    return new Response(new Uint8Array(posted.value.body), { headers: { "content-type": "application/json" } });
  };
  const provider = createOpenAICompatible({ name: place.provider, baseURL: place.baseUrl, fetch: post });
  try {
    const { text, usage } = await generateText({
      model: provider.chatModel(place.model),
      system: question.system,
      prompt: question.prompt,
      maxOutputTokens: Math.min(question.outputTokensMax ?? outputTokensMax, outputTokensMax),
      temperature: 0,
      maxRetries: 0,
    });
    if (!isWellFormed(text) || text.length > LIMITS.modelAnswerChars) return err({ code: "model_unreadable" });
    const tokensIn = counted(usage.inputTokens, question.system.length + question.prompt.length);
    return ok({ text, bytesReceived, tokensIn, tokensOut: counted(usage.outputTokens, text.length) });
  } catch {
    // What it threw may hold what was asked or answered, so that only the code goes on.
    return err(refused);
  }
}

/** What the provider says, if it is a number at all; otherwise what so many characters come to. */
const counted = (said: number | undefined, chars: number): number =>
  said !== undefined && Number.isSafeInteger(said) && said >= 0 ? said : estimateTokens(chars);
