import { ok } from "#base";
import type { Settler } from "./settler.ts";

/**
 * A setup and a wider permission both sign in at the service, step by step with the owner. That outlives the call, so it
 * begins only in a process that goes on; a start begins what was approved before.
 */
export const settleConnection: Settler = async ({ state }, { connections, isRunning }) => {
  if (isRunning && state === "approved") await connections.settle();
  return ok();
};
