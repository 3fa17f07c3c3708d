import { LIMITS, oneLine } from "#base";
import { gateSchemas, type GateAction, type GateCode } from "#model";

/** What became of asking a provider. Whatever it answered is material, not yet a result. */
export type GateFact =
  | { readonly kind: "answered"; readonly answer: unknown }
  | { readonly kind: "missing" }
  | { readonly kind: "failed" }
  | { readonly kind: "timed_out" };

/** What a provider may say. A rewrite is read by the runner's own rules later. */
export type ProviderAnswer = {
  readonly action: GateAction;
  readonly code?: GateCode;
  readonly reason: string;
  readonly value?: string | number | null;
  readonly score?: number | null;
  readonly flags?: readonly string[];
  readonly modified_context?: unknown;
};

export type ReadAnswer = {
  readonly action: GateAction;
  readonly code: GateCode;
  readonly reason: string;
  readonly value: string | number | null;
  readonly score: number | null;
  readonly flags: readonly string[];
  readonly modified: unknown;
};

/** A provider's answer, read once into plain data; null when it is not one. Never throws. */
export function readAnswer(answer: unknown): ReadAnswer | null {
  try {
    const read = gateSchemas.answer.safeParse(answer);
    if (!read.success) return null;
    const { action, code, reason, value, score, flags, modified_context: modified } = read.data;
    return {
      action,
      code: code ?? CODE_OF[action],
      reason: shown(reason),
      value: value ?? null,
      score: score ?? null,
      flags: flags ?? [],
      modified: modified ?? null,
    };
  } catch {
    // An answer may run code of its own when it is looked at; one that throws is no answer.
    return null;
  }
}

const CODE_OF: { readonly [A in GateAction]: GateCode } = {
  continue: "passed",
  block: "refused",
  require_approval: "asked",
};

/** One line that acts on nothing, cut where nobody reads on. */
const shown = (reason: string): string => oneLine(reason.slice(0, LIMITS.gateReasonChars));
