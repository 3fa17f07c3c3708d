/** Gates, and short ways to ask them, for every test that is about gates. */
import type { Gate, GateFiring } from "#model";
import { accepted, taskFile } from "./plan-texts.ts";

const [PLAIN] = accepted(taskFile("gates:\n  - { name: g, on: on_tool_call }")).item.gates;

/** A gate as a plan makes it, with these fields set. */
export function gateOf(fields: Partial<Gate> = {}): Gate {
  if (PLAIN === undefined) throw new Error("a plan with a gate has a gate");
  return { ...PLAIN, ...fields };
}

export function firingOf(fields: Partial<GateFiring> = {}): GateFiring {
  return { trigger: "on_tool_call", context: {}, actor: { kind: "terminal" }, scopeId: "owner", ...fields };
}
