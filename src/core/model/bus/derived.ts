import { TAINTS } from "../message/taint.ts";
import type { QueueMessage } from "./queue-message.ts";

export type DerivedProblem = { readonly code: "trace_differs" | "trust_raised" };

/**
 * What is wrong with a message that was made from another; null when nothing is. It keeps the trace, so that one id finds
 * every hop, and is trusted at most as far as what it was made from. [BUS-08] [BUS-09]
 */
export function derivedProblem(
  from: Pick<QueueMessage, "traceId" | "taint">,
  made: Pick<QueueMessage, "traceId" | "taint">,
): DerivedProblem | null {
  if (made.traceId !== from.traceId) return { code: "trace_differs" };
  return TAINTS.indexOf(made.taint) < TAINTS.indexOf(from.taint) ? { code: "trust_raised" } : null;
}
