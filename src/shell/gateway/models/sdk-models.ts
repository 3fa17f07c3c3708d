import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { err, estimateTokens, ok, type Result } from "#base";
import type { FinishReason, ModelAnswer, ModelFailure, ModelQuestion, ModelRefusal, ToolCallPart } from "#model";
import type { ModelAsking } from "#ports";
import { createAnswerText, plainForm } from "../lookout.ts";
import { isRecord, createLine } from "./sdk-line.ts";
import { createJsonForm, encodeQuestion } from "./json-calls.ts";
import type { Posting } from "./pinned-post.ts";
import { sdkQuestion, type SdkPart } from "./sdk-question.ts";

type SdkAsking = Omit<Posting, "onLeave" | "signal" | "onPart" | "onRefused"> & {
  readonly outputTokensMax: number;
  /** Whether the provider is asked to count the tokens of a stream. */
  readonly asksCounts: boolean;
  readonly toolCalls: "native" | "json";
};

/**
 * One step of a model through the SDK's model interface. The SDK is given a way of connecting that knows one address; it
 * runs no tool, no loop and no second try: every question that leaves is one that was asked here.
 */
export async function askSdk(asking: SdkAsking, question: ModelAsking): Promise<Result<ModelAnswer, ModelRefusal>> {
  const { key, toolCalls, asksCounts } = asking;
  const isJson = toolCalls === "json";
  const asked = isJson ? encodeQuestion(question) : question;
  const form = isJson && question.tools.length > 0 ? createJsonForm(question) : plainForm;
  const text = createAnswerText({ form, key, onText: question.onText });
  const over = new AbortController();
  const signal = AbortSignal.any([question.signal, over.signal]);
  const line = createLine({ ...asking, onLeave: question.onLeave, signal });
  try {
    const step = await takeStep({ asking, asked, text, line, signal: question.signal });
    if (!step.ok) {
      const refusal = { code: line.failure() ?? step.error };
      return err(asksCounts && line.refusesCounts() ? { ...refusal, isWorthAgain: true } : refusal);
    }
    const { calls, finish, tokensIn, tokensOut } = step.value;
    const parts = text.end(calls);
    if (!parts.ok) return parts;
    const hasCalls = parts.value.some(({ kind }) => kind === "tool_call");
    if (finish === "tool_calls" && !hasCalls) return err({ code: "model_unreadable" });
    return ok({
      parts: parts.value,
      // Some local servers end every answer with `stop`.
      finish: hasCalls && finish !== "length" ? "tool_calls" : finish,
      tokensIn: counted(tokensIn, JSON.stringify([asked.system, asked.messages, asked.tools]).length),
      tokensOut: counted(tokensOut, JSON.stringify(parts.value).length),
      bytesReceived: line.bytesReceived(),
    });
  } finally {
    // Whatever is still open is closed, also when `onText` threw.
    over.abort();
  }
}

type Stepping = {
  readonly asking: SdkAsking;
  readonly asked: ModelQuestion;
  readonly text: ReturnType<typeof createAnswerText>;
  readonly line: ReturnType<typeof createLine>;
  readonly signal: AbortSignal;
};
type Step = {
  readonly calls: readonly ToolCallPart[];
  readonly finish: FinishReason;
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
};

async function takeStep({ asking, asked, text, line, signal }: Stepping): Promise<Result<Step, ModelFailure>> {
  const { place, outputTokensMax, asksCounts } = asking;
  const provider = createOpenAICompatible({
    name: place.provider,
    baseURL: place.baseUrl,
    fetch: line.post,
    includeUsage: asksCounts,
  });
  const opened = await orNull(async () =>
    provider.chatModel(place.model).doStream({
      ...sdkQuestion(asked),
      toolChoice: { type: "auto" },
      maxOutputTokens: Math.min(asked.outputTokensMax, outputTokensMax),
      temperature: 0,
      includeRawChunks: true,
    }),
  );
  if (opened === null) return err("model_unreadable");
  const reader = opened.stream.getReader();
  const calls: ToolCallPart[] = [];
  const judge = createChunkJudge();
  for (;;) {
    const next = await orNull(() => reader.read());
    if (signal.aborted) return err("model_interrupted");
    if (next?.value === undefined) return err("model_unreadable");
    const part = next.value;
    const failure = judge.take(part) ?? (part.type === "text-delta" ? text.take(part.delta) : null);
    if (failure !== null) return err(failure);
    if (part.type === "tool-call")
      calls.push({ kind: "tool_call", callId: part.toolCallId, name: part.toolName, args: part.input });
    if (part.type !== "finish") continue;
    const { finishReason, usage } = part;
    const [tokensIn, tokensOut] = [usage.inputTokens.total, usage.outputTokens.total];
    if (finishReason.unified !== "error")
      return ok({ calls, finish: FINISH[finishReason.unified], tokensIn, tokensOut });
    // No reason was given. A stream that was cut looks the same, but for the mark at its end.
    if (!judge.hasChoice()) return err("model_unreadable");
    return line.isDone() ? ok({ calls, finish: "other", tokensIn, tokensOut }) : err("model_failed");
  }
}

/** What it throws may hold what was asked or answered, so that nothing of it goes on. */
async function orNull<T>(work: () => PromiseLike<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}

const FINISH = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  other: "other",
  interrupted: "other",
} as const satisfies Record<string, FinishReason>;

/** Watches the chunks as they were sent: the SDK takes some errors of a provider for the end of its answer. */
function createChunkJudge() {
  let [isAfterChunk, hasChoice] = [false, false];
  return {
    take(part: SdkPart): ModelFailure | null {
      // An error right after its chunk: that chunk could not be read.
      if (part.type === "error" && isAfterChunk) return "model_unreadable";
      isAfterChunk = part.type === "raw";
      if (part.type !== "raw" || !isRecord(part.rawValue)) return null;
      const { error, choices } = part.rawValue;
      hasChoice ||= Array.isArray(choices) && choices.length > 0;
      return error === undefined || error === null ? null : "model_failed";
    },
    hasChoice: () => hasChoice,
  };
}

/** What the provider says, if it is a number at all; otherwise what so many characters come to. */
const counted = (said: number | undefined, chars: number): number =>
  said !== undefined && Number.isSafeInteger(said) && said >= 0 ? said : estimateTokens(chars);
