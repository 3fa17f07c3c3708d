import type { Settler } from "./settler.ts";

/** The item is a message or a memory; each part leaves the items of the other alone. */
export const settleMemoryPromotion: Settler = async (decision, { messages, memory }) => {
  if (decision.state !== "approved") return messages.decided(decision);
  const raised = await messages.decided(decision);
  const verified = await memory.settle();
  return raised.ok ? verified : raised;
};
