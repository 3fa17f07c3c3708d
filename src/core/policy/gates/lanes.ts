import { GATE_TRIGGERS, type Gate, type GateLane, type GateTrigger } from "#model";
import { LIMITS } from "#base";

/** The lane follows from who checks; nobody declares it. Only a model gives advice, unless it was promoted. [GATE-05] */
export function laneOf({ provider, promoteToPolicy }: Pick<Gate, "provider" | "promoteToPolicy">): GateLane {
  return provider === "llm" && promoteToPolicy !== true ? "quality" : "policy";
}

export type Moment = { readonly trigger: GateTrigger; readonly stepIndex: number | null };
type GateSets = { readonly system: readonly Gate[]; readonly item: readonly Gate[] };
type Selected = { readonly policy: readonly Gate[]; readonly quality: readonly Gate[] };

/** The gates of one moment: those of the configuration first, each list in its own order. [GATE-08] [GATE-10] */
export function gatesFor({ system, item }: GateSets, moment: Moment): Selected {
  const chosen = [...system, ...item].filter((gate) => firesAt(gate, moment));
  return {
    policy: chosen.filter((gate) => laneOf(gate) === "policy"),
    quality: chosen.filter((gate) => laneOf(gate) === "quality"),
  };
}

/** A moment nobody can name has no gates to ask, so nothing may pass it. */
export function isMoment({ trigger, stepIndex }: Moment): boolean {
  if (!(GATE_TRIGGERS as readonly unknown[]).includes(trigger)) return false;
  return trigger !== "after_step" || (Number.isSafeInteger(stepIndex) && Number(stepIndex) >= 0);
}

/** A gate whose own trigger makes no sense would never be asked; it is chosen always, and blocks when it is judged. */
function firesAt(gate: Gate, { trigger, stepIndex }: Moment): boolean {
  if (!hasTrigger(gate)) return true;
  return gate.on === trigger && (trigger !== "after_step" || gate.afterStep === stepIndex);
}

export function hasTrigger({ on, afterStep }: Gate): boolean {
  const isKnown = (GATE_TRIGGERS as readonly unknown[]).includes(on);
  return isKnown && (on !== "after_step" || Number.isSafeInteger(afterStep));
}

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
