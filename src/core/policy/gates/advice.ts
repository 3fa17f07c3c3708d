import type { Gate, GateNote, GateResult } from "#model";
import { readAnswer, type GateFact } from "./answer.ts";
import { notesOfAdvice, type NotePlace, type Tried } from "./notes.ts";

type Advice = { readonly result: GateResult; readonly notes: readonly GateNote[] };

/**
 * What a gate of the quality lane said. INVARIANT: it always continues and never rewrites; a gate that tries either, or
 * fails, is put on record and changes nothing. [GATE-21] [GATE-22] [GATE-23]
 */
export function judgeAdvice(gate: Gate, { fact, ...place }: NotePlace & { readonly fact: GateFact }): Advice {
  const answer = fact.kind === "answered" ? readAnswer(fact.answer) : null;
  const score = answer?.score ?? null;
  const isScore = score !== null && score >= 0 && score <= 1;
  const isUsable = answer !== null && (score === null || isScore);
  const result: GateResult = {
    gateName: gate.name,
    lane: "quality",
    action: "continue",
    code: isUsable ? "advice" : "advice_missing",
    reason: isUsable ? answer.reason : "No advice came",
    value: isUsable ? answer.value : null,
    score: isUsable ? score : null,
    flags: isUsable ? answer.flags : [`${gate.provider}_error`],
    modifiedContext: null,
  };
  const tried: readonly Tried[] = [
    ...(answer !== null && answer.action !== "continue" ? (["action"] as const) : []),
    ...(answer !== null && answer.modified !== null ? (["rewrite"] as const) : []),
  ];
  return { result, notes: notesOfAdvice(gate, { result, tried, ...place }) };
}
