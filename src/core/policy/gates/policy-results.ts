import type { Gate, GateAction, GateCode, GateResult } from "#model";
import type { Judged } from "./notes.ts";

/** What all of them together come to. */
export function strictest(actions: readonly GateAction[]): GateAction {
  if (actions.includes("block")) return "block";
  return actions.includes("require_approval") ? "require_approval" : "continue";
}

type Verdict = { readonly action: GateAction; readonly code: GateCode; readonly reason: string };

/** A result of the policy lane has no score and no flags, whatever its provider says. [GATE-04] */
export function policyResult(gate: Gate, { action, code, reason }: Verdict): GateResult {
  const rest = { value: null, score: null, flags: [], modifiedContext: null };
  return { gateName: gate.name, lane: "policy", action, code, reason, ...rest };
}

/** A block that nobody answered: the rules of the house gave it. */
export function blocked(gate: Gate, code: keyof typeof REASONS): Judged {
  return { gate, result: policyResult(gate, { action: "block", code, reason: REASONS[code](gate) }) };
}

export const REASONS = {
  answer_malformed: () => "The check gave no readable answer",
  evaluations_exceeded: () => "Too many gate checks in one turn",
  mutation_malformed: () => "The check asked for a change that cannot be made",
  provider_failed: () => "The check failed",
  provider_missing: ({ provider }: Gate) => `No provider: ${provider}`,
  provider_timed_out: () => "The check did not answer in time",
  record_failed: () => "The result could not be recorded",
  rewrite_undone: () => "A later check undid what this one demands",
  rewrite_widens: () => "The check changed arguments you had approved; the new ones need your approval",
  settings_malformed: () => "The gate is not written in a way that can be checked",
} satisfies { readonly [C in GateCode]?: (gate: Gate) => string };

/** Stands for Silas itself where no gate is to blame. */
export const UNNAMED: Gate = {
  name: "gates",
  on: "after_step",
  afterStep: null,
  provider: "predicate",
  type: "approval_always",
  check: null,
  config: {},
  extract: null,
  autoApprove: null,
  requireApproval: null,
  block: null,
  allowedValues: null,
  approvalValues: null,
  onBlock: "report",
  checkCommand: null,
  checkExpect: null,
  promoteToPolicy: false,
};
