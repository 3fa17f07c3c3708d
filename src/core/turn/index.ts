/**
 * turn: what a model is shown in one turn, and what its answer may be.
 *
 * Decides which messages, replies and results are shown and in which form, how much of each fits, how far the whole is to
 * be trusted, and how an answer is read. Asks nobody and sends nothing: `runtime` does, through the one gateway.
 * May import `#policy`, `#model` and `#base` only.
 * Invariants: what is shown carries its trust, and what is made of it is trusted as the least of it (TAINT-06); a result of
 * a run is shown as something from outside, made harmless, and only what it printed (TAINT-03, TAINT-04); no content ends
 * its block (CTX-17); an answer proposes, and can do nothing else.
 */
export { FALLBACK, readAnswer, repairPrompt } from "./answer.ts";
export { renderContext, type ContextItem, type ContextSettings } from "./context.ts";
export { memoryItem, messageItem, replyItem, stepItem } from "./items.ts";
export { advicePrompt } from "./advise.ts";
export { failureText, replanPrompt } from "./replan.ts";
export { isAnswered, plannerPrompt, plannerSystem } from "./planner.ts";
