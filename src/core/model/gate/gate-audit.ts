import * as z from "zod/mini";

/** A short name of code, or the digest of a name that is prose: prose could carry what somebody typed. */
const ref = z.string().check(z.regex(/^(?:[a-z][a-z0-9_]{0,63}|sha256:[0-9a-f]{64})$/));
const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const scopeId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/));
const digest = z.nullable(z.string().check(z.regex(/^[0-9a-f]{64}$/)));
const count = z.int().check(z.gte(0));
const trigger = z.enum(["every_user_message", "every_agent_response", "after_step", "on_tool_call"]);
const moment = { trigger, scope_id: scopeId };
const advice = z.strictObject({
  gate: ref,
  scope_id: scopeId,
  score: z.nullable(z.number().check(z.gte(0), z.lte(1))),
  flags: z.array(ref).check(z.maxLength(20)),
});

/** What the audit chain says about gates: names, codes, digests and sizes, never what was checked. */
export const gateAuditSchemas = {
  /** All gates of one moment that let it pass. */
  gates_passed: z.strictObject({ ...moment, gates: z.array(ref).check(z.maxLength(1_000)) }),
  /** `escalates` is true for the first block of a moment and no other. */
  gate_blocked: z.strictObject({ ...moment, gate: ref, code, on_block: ref, escalates: z.boolean() }),
  gate_approval_needed: z.strictObject({ ...moment, gate: ref, code }),
  /** A rewrite: both values as digest and size, since either may be what must not be kept. */
  gate_mutation: z.strictObject({
    ...moment,
    gate: ref,
    key: z.enum(["message", "response", "tool_args"]),
    original: digest,
    original_chars: count,
    modified: digest,
    modified_chars: count,
  }),
  rejected_mutation: z.strictObject({ ...moment, gate: ref, key: ref }),
  quality_gate_input: advice,
  quality_gate_output: advice,
  quality_gate_tool_call: advice,
  quality_gate_after_step: advice,
  /** Advice that tried to decide or to rewrite something. */
  quality_lane_violation: z.strictObject({ ...moment, gate: ref, tried: z.enum(["action", "rewrite"]) }),
} as const;

type GateEvent = keyof typeof gateAuditSchemas;
/** An event about gates with what it says, before it has a time and an actor. */
export type GateNote = {
  readonly [E in GateEvent]: { readonly event: E; readonly data: z.infer<(typeof gateAuditSchemas)[E]> };
}[GateEvent];

type Sentences = { readonly [E in GateEvent]: (data: z.infer<(typeof gateAuditSchemas)[E]>) => string };

export const gateSentences: Sentences = {
  gates_passed: ({ trigger: at, gates }) => `Let ${MOMENTS[at]} pass ${counted(gates.length)}`,
  gate_blocked: ({ trigger: at, gate, code: why }) => `The gate ${nameOf(gate)} blocked ${MOMENTS[at]} (${why})`,
  gate_approval_needed: ({ trigger: at, gate, code: why }) =>
    `The gate ${nameOf(gate)} asked for a decision on ${MOMENTS[at]} (${why})`,
  gate_mutation: ({ trigger: at, gate }) => `The gate ${nameOf(gate)} changed ${MOMENTS[at]} before it went on`,
  rejected_mutation: ({ gate, key }) => `Dropped a change of ${nameOf(key)} that the gate ${nameOf(gate)} may not make`,
  quality_gate_input: ({ gate, score }) => adviceOf(gate, score),
  quality_gate_output: ({ gate, score }) => adviceOf(gate, score),
  quality_gate_tool_call: ({ gate, score }) => adviceOf(gate, score),
  quality_gate_after_step: ({ gate, score }) => adviceOf(gate, score),
  quality_lane_violation: ({ gate, tried }) =>
    `Ignored ${tried === "action" ? "a verdict" : "a change"} from the gate ${nameOf(gate)}, which may only advise`,
};

const MOMENTS = {
  every_user_message: "a message",
  every_agent_response: "a reply",
  after_step: "a finished step",
  on_tool_call: "a tool call",
} as const;

const counted = (gates: number): string => (gates === 1 ? "one gate" : `${gates} gates`);
const nameOf = (name: string): string => (name.startsWith("sha256:") ? `${name.slice(0, 15)}…` : name);
const adviceOf = (gate: string, score: number | null): string =>
  `The gate ${nameOf(gate)} gave advice${score === null ? "" : ` (${score})`}`;
