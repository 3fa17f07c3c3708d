import { afterDecision } from "./settler.ts";

/** A message that a gate stopped passes, or is blocked for good by a decline. */
export const settleGateApproval = afterDecision((decision, { messages }) => messages.decided(decision));
