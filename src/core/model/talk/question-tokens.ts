import { estimateTokens } from "#base";
import type { ModelQuestion } from "./conversation.ts";

/** The tokens of a question, estimated by its characters. */
export const questionTokens = ({ system, messages, tools }: Omit<ModelQuestion, "outputTokensMax">): number =>
  estimateTokens(system.join("").length + JSON.stringify(messages).length + JSON.stringify(tools).length);
