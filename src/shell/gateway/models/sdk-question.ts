import type { OpenAICompatibleProvider } from "@ai-sdk/openai-compatible";
import type { ConversationMessage, ModelQuestion, TextPart } from "#model";

type SdkModel = ReturnType<OpenAICompatibleProvider["chatModel"]>;
type SdkOptions = Parameters<SdkModel["doStream"]>[0];
type SdkStream = Awaited<ReturnType<SdkModel["doStream"]>>["stream"];
/** One part of an answer as the SDK gives it. */
export type SdkPart = SdkStream extends ReadableStream<infer P> ? P : never;
type SdkMessage = SdkOptions["prompt"][number];

/**
 * A question as the SDK takes it. The blocks of the system are one message and the texts of a user are one text: half of
 * the local servers refuse a second system message, or content that is a list.
 */
export function sdkQuestion({ system, messages, tools }: ModelQuestion): Pick<SdkOptions, "prompt" | "tools"> {
  const rules: readonly SdkMessage[] = system.length === 0 ? [] : [{ role: "system", content: system.join("\n\n") }];
  return {
    prompt: [...rules, ...messages.map(sdkMessage)],
    tools: tools.map(({ name, description, inputSchema }) => ({ type: "function", name, description, inputSchema })),
  };
}

function sdkMessage(message: ConversationMessage): SdkMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: userText(message.parts) }] };
    case "assistant":
      return {
        role: "assistant",
        content: message.parts.map((part) =>
          part.kind === "text"
            ? { type: "text", text: part.text }
            : { type: "tool-call", toolCallId: part.callId, toolName: part.name, input: sentArgs(part.args) },
        ),
      };
    case "tool":
      return {
        role: "tool",
        content: message.parts.map(({ callId, name, text, isError }) => ({
          type: "tool-result",
          toolCallId: callId,
          toolName: name,
          // Chat completions has no field for an error, so that the words say it as well.
          output: isError ? { type: "error-text", value: `Error: ${text}` } : { type: "text", value: text },
        })),
      };
  }
}

/** Providers refuse a call without arguments when it comes back to them. */
const sentArgs = (args: string): string => (args.trim() === "" ? "{}" : args);

export const userText = (parts: readonly TextPart[]): string => parts.map(({ text }) => text).join("\n\n");
