import { LIMITS } from "#base";
import type { Gate } from "#model";
import { gatesFor } from "./lanes.ts";

/**
 * How many characters at the end of an unfinished answer are held back until more has arrived: `whole` when nothing may be
 * shown before the end, 0 when no gate looks at answers. The validators that ship with Silas find what they look for within
 * a window; any other gate judges the whole answer.
 */
export function outputWindow(gates: readonly Gate[]): number | "whole" {
  const { policy } = gatesFor({ system: gates, item: [] }, { trigger: "every_agent_response", stepIndex: null });
  if (policy.length === 0) return 0;
  return policy.every(({ provider }) => provider === "guardrails_ai") ? LIMITS.gateWindowChars : "whole";
}
