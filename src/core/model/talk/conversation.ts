import { estimateTokens } from "#base";

/** Questions to a model and its answers, in a form that no provider dictates. */

export type TextPart = { readonly kind: "text"; readonly text: string };
/** `args` is the JSON text as the model wrote it: whoever performs the tool parses it, and a slip is told to the model. */
export type ToolCallPart = {
  readonly kind: "tool_call";
  readonly callId: string;
  readonly name: string;
  readonly args: string;
};
export type ToolResultPart = {
  readonly kind: "tool_result";
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
};
export type AnswerPart = TextPart | ToolCallPart;
export type ConversationMessage =
  | { readonly role: "user"; readonly parts: readonly TextPart[] }
  | { readonly role: "assistant"; readonly parts: readonly AnswerPart[] }
  | { readonly role: "tool"; readonly parts: readonly ToolResultPart[] };

/** A tool as a model is told about it. */
export type OfferedTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: object;
};

export type ModelQuestion = {
  /** Stable blocks first, so that a provider can cache them. */
  readonly system: readonly string[];
  readonly messages: readonly ConversationMessage[];
  readonly tools: readonly OfferedTool[];
  readonly outputTokensMax: number;
};

/** `length`: the answer was cut by its token limit. `other` also stands for a reason that nobody gave. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";
export type ModelAnswer = {
  readonly parts: readonly AnswerPart[];
  readonly finish: FinishReason;
  /** As the provider counts, or as they are estimated here where it does not say. */
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly bytesReceived: number;
};

/** The tokens of a question, estimated by its characters. */
export const questionTokens = ({ system, messages, tools }: Omit<ModelQuestion, "outputTokensMax">): number =>
  estimateTokens(system.join("").length + JSON.stringify(messages).length + JSON.stringify(tools).length);
