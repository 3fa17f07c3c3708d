import { canonicalJson, sha256Hex, type JsonValue } from "#base";
import { isId, type Gate, type GateNote, type GateResult, type GateTrigger } from "#model";
import type { Change } from "./rewrite.ts";

export type NotePlace = { readonly trigger: GateTrigger; readonly scopeId: string };

const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** A name for the record: itself when it is a plain code, else its digest. */
const refOf = (name: string): string => (CODE.test(name) ? name : `sha256:${sha256Hex(name)}`);

const momentOf = ({ trigger, scopeId }: NotePlace) => ({
  trigger,
  scope_id: isId(scopeId) ? scopeId : `sha256:${sha256Hex(scopeId)}`,
});

/** One entry for everything that passed, and one for each gate that did not. [GATE-19] */
export function notesOfResults(results: readonly Judged[], place: NotePlace): readonly GateNote[] {
  const moment = momentOf(place);
  const passed = results.filter(({ result }) => result.action === "continue");
  const first = results.find(({ result }) => result.action === "block");
  return [
    ...(passed.length === 0
      ? []
      : [{ event: "gates_passed", data: { ...moment, gates: passed.map(({ gate }) => refOf(gate.name)) } } as const]),
    ...results.flatMap((judged): readonly GateNote[] => {
      const { gate, result } = judged;
      const data = { ...moment, gate: refOf(gate.name), code: result.code };
      if (result.action === "require_approval") return [{ event: "gate_approval_needed", data }];
      if (result.action === "continue") return [];
      const escalates = judged === first;
      return [{ event: "gate_blocked", data: { ...data, on_block: refOf(gate.onBlock), escalates } }];
    }),
  ];
}
export type Judged = { readonly gate: Gate; readonly result: GateResult };

type Rewriting = { readonly changes: readonly Change[]; readonly rejected: readonly string[] };

/** One entry for each key that was dropped and for each that was taken over. [GATE-15] [GATE-17] */
export function notesOfRewrite(
  gate: Gate,
  { changes, rejected, ...place }: Rewriting & NotePlace,
): readonly GateNote[] {
  const moment = { ...momentOf(place), gate: refOf(gate.name) };
  return [
    ...rejected.map((key) => ({ event: "rejected_mutation", data: { ...moment, key: refOf(key) } }) as const),
    ...changes.map(({ key, original, modified }) => {
      const [from, to] = [sizeOf(original), sizeOf(modified)];
      const values = {
        original: from.digest,
        original_chars: from.chars,
        modified: to.digest,
        modified_chars: to.chars,
      };
      return { event: "gate_mutation", data: { ...moment, key, ...values } } as const;
    }),
  ];
}

/** A value that has no canonical form is recorded by nothing but its absence. */
function sizeOf(value: JsonValue): { readonly digest: string | null; readonly chars: number } {
  const text = canonicalJson(value);
  return text.ok ? { digest: sha256Hex(text.value), chars: text.value.length } : { digest: null, chars: 0 };
}

const ADVICE_EVENTS = {
  every_user_message: "quality_gate_input",
  every_agent_response: "quality_gate_output",
  on_tool_call: "quality_gate_tool_call",
  after_step: "quality_gate_after_step",
} as const;

const FLAGS_MAX = 20;

/** Advice goes on record and nowhere else. [GATE-23] */
export function notesOfAdvice(
  gate: Gate,
  { result, tried, ...place }: NotePlace & { readonly result: GateResult; readonly tried: readonly Tried[] },
): readonly GateNote[] {
  const { scope_id, trigger } = momentOf(place);
  const { score, flags } = result;
  const name = refOf(gate.name);
  return [
    ...tried.map(
      (what) => ({ event: "quality_lane_violation", data: { trigger, scope_id, gate: name, tried: what } }) as const,
    ),
    {
      event: ADVICE_EVENTS[place.trigger],
      data: { gate: name, scope_id, score, flags: flags.slice(0, FLAGS_MAX).map(refOf) },
    },
  ];
}
export type Tried = "action" | "rewrite";
