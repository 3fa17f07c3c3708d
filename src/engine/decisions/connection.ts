import { ok } from "#base";
import { afterDecision } from "./settler.ts";

/**
 * A setup and a wider permission both sign in at the service, step by step with the owner. That outlives the call, so it
 * begins only in a process that goes on; until then the message waits.
 */
export const settleConnection = afterDecision(async (decision, { connections, isRunning }) => {
  if (decision.state !== "approved") return ok();
  return isRunning ? connections.settle(decision) : ok("busy");
});
