/**
 * turn: the one conversation machine, what a model is shown, and how its answer is read.
 *
 * Decides the loop of questions, answers and tool calls for every purpose in which a model is asked; which messages,
 * replies and results are shown and in which form; how much of each fits; how far the whole is to be trusted. Asks nobody
 * and sends nothing: `engine` does, through the one gateway. May import `#policy`, `#model` and `#base` only.
 * Invariants: equal facts give equal effects; a call is performed only if its tool was offered and its arguments fit; what
 * is shown carries its trust, and what is made of it is trusted as the least of it (TAINT-06); a result of a run is shown
 * as something from outside, made harmless, and only what it printed (TAINT-03, TAINT-04); no content ends its block
 * (CTX-17); an answer proposes, and can do nothing else.
 */
export {
  FALLBACK,
  PROPOSE_PLAN,
  readAnswer,
  responseOf,
  isAnswered,
  plannerMessages,
  plannerSystem,
  textMessage,
} from "./planner.ts";
export {
  advanceConversation,
  beginConversation,
  type ConversationEffect,
  type ConversationEnd,
  type ConversationFact,
  type Opening,
} from "./conversation.ts";
export {
  renderContext,
  type ContextItem,
  type ContextSettings,
  memoryItem,
  messageItem,
  replyItem,
  stepItem,
} from "./context.ts";
export { adviceMessages } from "./advise.ts";
export { failureText, replanMessages } from "./replan.ts";
export { PURPOSES } from "./purposes.ts";
