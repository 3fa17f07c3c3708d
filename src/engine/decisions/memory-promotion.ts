import { ok } from "#base";
import { afterDecision } from "./settler.ts";

/** The item is a message or a memory; each part leaves the items of the other alone. */
export const settleMemoryPromotion = afterDecision(async (decision, { messages, memory }) => {
  if (decision.state !== "approved") return ok();
  const raised = await messages.decided(decision);
  return raised.ok ? memory.settle(decision) : raised;
});
