import * as z from "zod/mini";
import { gateKey, type NameOf } from "../work/work-names.ts";
import { digest, id as scopeId, maxLength } from "../values.ts";

/** A short name of code, or the digest of a name that is prose: prose could carry what somebody typed. */
const ref = z.string().check(z.regex(/^(?:[a-z][a-z0-9_]{0,63}|sha256:[0-9a-f]{64})$/));
const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const nullableDigest = z.nullable(digest);
const count = z.int().check(z.gte(0));
const trigger = z.enum(["every_user_message", "every_agent_response", "after_step", "on_tool_call"]);
const moment = { trigger, scope_id: scopeId };
const advice = z.strictObject({
  gate: ref,
  scope_id: scopeId,
  score: z.nullable(z.number().check(z.gte(0), z.lte(1))),
  flags: z.array(ref).check(maxLength(20)),
});

/** What the audit chain says about gates: names, codes, digests and sizes, never what was checked. */
export const gateAuditSchemas = {
  /** All gates of one moment that let it pass. */
  gates_passed: z.strictObject({ ...moment, gates: z.array(ref).check(maxLength(1_000)) }),
  /** `escalates` is true for the first block of a moment and no other. */
  gate_blocked: z.strictObject({ ...moment, gate: ref, code, on_block: ref, escalates: z.boolean() }),
  gate_approval_needed: z.strictObject({ ...moment, gate: ref, code }),
  /** A rewrite: both values as digest and size, since either may be what must not be kept. */
  gate_mutation: z.strictObject({
    ...moment,
    gate: ref,
    key: z.enum(["message", "response", "tool_args"]),
    original: nullableDigest,
    original_chars: count,
    modified: nullableDigest,
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

type Sentences = { readonly [E in GateEvent]: (data: z.infer<(typeof gateAuditSchemas)[E]>, nameOf: NameOf) => string };

export const gateSentences: Sentences = {
  gates_passed: ({ trigger: at, gates }) => `Let ${MOMENTS[at]} pass ${counted(gates.length)}`,
  gate_blocked: ({ trigger: at, gate, code: why }, nameOf) =>
    `The gate ${called(gate, nameOf)} blocked ${MOMENTS[at]} (${why})`,
  gate_approval_needed: ({ trigger: at, gate, code: why }, nameOf) =>
    `The gate ${called(gate, nameOf)} asked for a decision on ${MOMENTS[at]} (${why})`,
  gate_mutation: ({ trigger: at, gate }, nameOf) =>
    `The gate ${called(gate, nameOf)} changed ${MOMENTS[at]} before it went on`,
  rejected_mutation: ({ gate, key }, nameOf) =>
    `Dropped a change of ${short(key)} that the gate ${called(gate, nameOf)} may not make`,
  quality_gate_input: (data, nameOf) => adviceOf(data, nameOf),
  quality_gate_output: (data, nameOf) => adviceOf(data, nameOf),
  quality_gate_tool_call: (data, nameOf) => adviceOf(data, nameOf),
  quality_gate_after_step: (data, nameOf) => adviceOf(data, nameOf),
  quality_lane_violation: ({ gate, tried }, nameOf) =>
    `Ignored ${tried === "action" ? "a verdict" : "a change"} from the gate ${called(gate, nameOf)}, which may only advise`,
};

const MOMENTS = {
  every_user_message: "a message",
  every_agent_response: "a reply",
  after_step: "a finished step",
  on_tool_call: "a tool call",
} as const;

const isDigest = (name: string): boolean => name.startsWith("sha256:");
const counted = (gates: number): string => (gates === 1 ? "one gate" : `${gates} gates`);
const short = (name: string): string => (isDigest(name) ? `${name.slice(0, 15)}…` : name);
const adviceOf = ({ gate, score }: z.infer<typeof advice>, nameOf: NameOf): string =>
  `The gate ${called(gate, nameOf)} gave advice${score === null ? "" : ` (${score})`}`;

/** By its name where that is known; what the digest of no name is has only the beginning of the digest. */
function called(gate: string, nameOf: NameOf): string {
  const name = isDigest(gate) ? nameOf(gateKey(gate)) : gate;
  return name === gateKey(gate) ? short(gate) : name;
}
