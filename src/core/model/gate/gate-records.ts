import * as z from "zod/mini";
import type { JsonValue } from "#base";
import type { AuditActor } from "../audit.ts";
import type { Gate } from "../work/work-records.ts";

/**
 * What happens around a gate. The gate itself is one record, written in plans and in the configuration alike (`Gate`).
 * A firing is one moment at which gates are asked; each gate gives one result, and all of them together one outcome.
 */

export const GATE_TRIGGERS = ["every_user_message", "every_agent_response", "after_step", "on_tool_call"] as const;
export const GATE_ACTIONS = ["continue", "block", "require_approval"] as const;
export const GATE_LANES = ["policy", "quality"] as const;
export type GateAction = (typeof GATE_ACTIONS)[number];
/** `policy` is enforced; `quality` is advice that is recorded and changes nothing. */
export type GateLane = (typeof GATE_LANES)[number];
export type GateTrigger = Gate["on"];

/** Why a gate answered as it did: what the record of it says instead of the text that was checked. */
export const GATE_CODES = [
  "passed",
  "fixed",
  "normalised",
  "asked",
  "refused",
  "advice",
  "advice_missing",
  "always_asks",
  "answer_malformed",
  "approval_range",
  "approval_value",
  "evaluations_exceeded",
  "file_missing",
  "file_too_large",
  "file_unreadable",
  "mutation_malformed",
  "not_a_number",
  "not_allowed",
  "outside_bounds",
  "outside_ranges",
  "path_outside",
  "pattern_differs",
  "pattern_refused",
  "provider_failed",
  "provider_missing",
  "provider_timed_out",
  "record_failed",
  "rewrite_undone",
  "rewrite_widens",
  "script_failed",
  "script_not_run",
  "script_refused",
  "settings_malformed",
  "text_missing",
  "text_too_long",
  "validator_failed",
  "validator_unknown",
  "value_missing",
] as const;
export type GateCode = (typeof GATE_CODES)[number];

export type ToolArgs = { readonly [name: string]: JsonValue };

/** What gates see, and what the caller goes on with afterwards. */
export type GateContext = {
  readonly message?: string;
  readonly response?: string;
  readonly tool?: string;
  readonly toolArgs?: ToolArgs;
  /** Variables that a gate names by `extract`. */
  readonly values?: { readonly [name: string]: string | number };
};

export type GateResult = {
  readonly gateName: string;
  readonly lane: GateLane;
  readonly action: GateAction;
  readonly code: GateCode;
  /** For people. Names the gate's rule, never the text that was checked. */
  readonly reason: string;
  /** What was checked, for whoever is asked to decide. */
  readonly value: string | number | null;
  readonly score: number | null;
  readonly flags: readonly string[];
  /** What of the gate's rewrite was taken over. Names as on the wire: `message`, `response`, `tool_args`. */
  readonly modifiedContext: { readonly [key: string]: JsonValue } | null;
};

/** One moment at which gates are asked. */
export type GateFiring = {
  readonly trigger: GateTrigger;
  readonly context: GateContext;
  /** Gates of the plan or work item; those of the configuration always come first. */
  readonly itemGates?: readonly Gate[];
  /** The step that just ended; only for `after_step`. */
  readonly stepIndex?: number;
  /** Arguments that a person approved may only be narrowed. Left out, they count as approved. */
  readonly toolArgsAre?: "proposed" | "approved";
  /** Evaluations that this turn has made already, as the outcome before said. */
  readonly evaluationsBefore?: number;
  readonly actor: AuditActor;
  readonly scopeId: string;
};

/** What came out of it. Advice comes later, and is no part of it. */
export type GateOutcome = {
  /** In the order they ran. The only results that anything may be decided by. */
  readonly policy: readonly GateResult[];
  readonly context: GateContext;
  readonly verdict: GateAction;
  readonly firstBlock: GateResult | null;
  /** The `on_block` of the first block: the one escalation there is. */
  readonly escalation: string | null;
  /** Evaluations of this turn so far. */
  readonly evaluations: number;
};

export const gateResultSchema = z.strictObject({
  gate_name: z.string(),
  lane: z.enum(GATE_LANES),
  action: z.enum(GATE_ACTIONS),
  code: z.enum(GATE_CODES),
  reason: z.string(),
  value: z.nullable(z.union([z.string(), z.number()])),
  score: z.nullable(z.number().check(z.gte(0), z.lte(1))),
  flags: z.array(z.string()),
  modified_context: z.nullable(z.record(z.string(), z.json())),
});

/** A result as others read it. */
export function gateResultToWire(result: GateResult): object {
  const { gateName, lane, action, code, reason, value, score, flags, modifiedContext } = result;
  const body = { gate_name: gateName, lane, action, code, reason, value, score, flags };
  return { ...body, modified_context: modifiedContext };
}
