import type { Settler } from "./settler.ts";

/** A message that a gate stopped passes, or is blocked for good by a decline. */
export const settleGateApproval: Settler = (decision, { messages }) => messages.decided(decision);
