import type { JsonValue, Result } from "#base";
import type { Gate, GateCode, GateContext } from "#model";
import type { ProviderAnswer } from "./answer.ts";
import { extractFor, shownValue, type Extracted } from "./guardrail.ts";
import { isNormalisable, normalisationOf } from "./normalise.ts";
import { numberOf } from "./numbers.ts";

/** Whether a whole text matches a pattern; an engine that runs in linear time stands behind it. */
export type MatchPattern = (
  pattern: string,
  text: string,
) => Result<boolean, { readonly code: "pattern_refused" | "text_too_long" }>;

type Check = { readonly gate: Gate; readonly context: GateContext; readonly match: MatchPattern };

/** Everything a predicate decides without looking at files. The same gate and value always give the same answer. */
export function judgePredicate({ gate, context, match }: Check): ProviderAnswer {
  if (!isNormalisable(gate)) return block("settings_malformed", "The gate's normalise rule cannot be read");
  const found = extractFor(gate, context);
  const seen = found === null ? null : shownValue(found.value);
  switch (gate.type) {
    case "approval_always":
      return { action: "require_approval", code: "always_asks", reason: "Needs your decision every time", value: seen };
    case "numeric_range":
      return found === null ? missing(gate) : judgeNumber(gate, found);
    case "string_match":
      return found === null ? missing(gate) : judgeText(gate, found);
    case "regex":
      return found === null ? missing(gate) : judgePattern({ gate, found, match });
    default:
      return block("settings_malformed", "The predicate provider has no check of this type");
  }
}

function judgeNumber(gate: Gate, { value, rewrite }: Extracted): ProviderAnswer {
  const number = numberOf(value);
  if (number === null) return block("not_a_number", "The value is not a number", shownValue(value));
  const clamp = normalisationOf(gate)?.clamp ?? null;
  const judged = clamp === null ? number : Math.min(Math.max(number, clamp.min), clamp.max);
  if (judged !== number && rewrite === null) {
    return block("settings_malformed", "The value cannot be rewritten here", number);
  }
  const answer = { ...rangeVerdict(gate, judged), value: judged };
  if (judged === number || rewrite === null) return answer;
  return normalised(answer, rewrite(judged));
}

function rangeVerdict({ block: hard, autoApprove, requireApproval }: Gate, value: number): ProviderAnswer {
  if (hard !== null && !isWithin(value, { min: hard.outside[0], max: hard.outside[1] })) {
    return block("outside_bounds", "The value is outside the bounds");
  }
  if (autoApprove !== null && isWithin(value, autoApprove)) return passed("The value is in the range that passes");
  if (requireApproval !== null && isWithin(value, requireApproval)) {
    return {
      action: "require_approval",
      code: "approval_range",
      reason: "The value is in the range that you decide on",
    };
  }
  return block("outside_ranges", "The value is in no range that may pass");
}

// Written so that a bound which is missing or no number lets nothing pass.
const isWithin = (value: number, { min, max }: Bounds): boolean =>
  min !== undefined && max !== undefined && value >= min && value <= max;
type Bounds = { readonly min: number | undefined; readonly max: number | undefined };

function judgeText(gate: Gate, { value, rewrite }: Extracted): ProviderAnswer {
  const text = normalisedText(gate, value);
  if (text === null) return block("not_allowed", "The value is not a text");
  const { allowedValues, approvalValues } = gate;
  const all = typeof text === "string" ? [text] : text;
  if (all.length === 0) return block("not_allowed", "Nothing of the value is allowed");
  const verdict = all.every((one) => allowedValues?.includes(one) === true)
    ? passed("The value is allowed")
    : all.every((one) => [...(allowedValues ?? []), ...(approvalValues ?? [])].includes(one))
      ? ({ action: "require_approval", code: "approval_value", reason: "The value needs your decision" } as const)
      : block("not_allowed", "The value is not among those allowed");
  return withText(verdict, { value, text, rewrite });
}

function judgePattern({
  gate,
  found,
  match,
}: {
  readonly gate: Gate;
  readonly found: Extracted;
  readonly match: MatchPattern;
}) {
  const { pattern } = gate.config;
  if (typeof pattern !== "string") return block("settings_malformed", "The gate has no config.pattern");
  const text = normalisedText(gate, found.value);
  if (typeof text !== "string") return block("pattern_differs", "The value is not a text");
  const matched = match(pattern, text);
  if (!matched.ok) return block(matched.error.code, PATTERN_WORDS[matched.error.code], text);
  const verdict = matched.value ? passed("The value matches") : block("pattern_differs", "The value does not match");
  return withText(verdict, { value: found.value, text, rewrite: found.rewrite });
}

const PATTERN_WORDS = {
  pattern_refused: "The pattern cannot be run",
  text_too_long: "The value is too long for the pattern",
} as const;

/** The text or list of texts to judge; null for anything else. A number is not a text: its spelling is nobody's choice. */
function normalisedText(gate: Gate, value: JsonValue): string | readonly string[] | null {
  const { trim = false, lower = false, keepAllowed = false } = normalisationOf(gate) ?? {};
  if (keepAllowed && Array.isArray(value)) {
    const texts = value.filter((one): one is string => typeof one === "string");
    return texts.length === value.length ? texts.filter((one) => gate.allowedValues?.includes(one) === true) : null;
  }
  if (typeof value !== "string") return null;
  const trimmed = trim ? value.trim() : value;
  return lower ? trimmed.toLowerCase() : trimmed;
}

type Texts = Extracted & { readonly text: string | readonly string[] };

function withText(verdict: ProviderAnswer, { value, text, rewrite }: Texts): ProviderAnswer {
  const answer = { ...verdict, value: shownValue(text) };
  const isChanged = typeof text === "string" ? text !== value : Array.isArray(value) && text.length !== value.length;
  if (!isChanged) return answer;
  if (rewrite === null) return block("settings_malformed", "The value cannot be rewritten here");
  return normalised(answer, rewrite(text));
}

/** Only what goes on is rewritten: a refused value stays as it came. */
function normalised(answer: ProviderAnswer, modified: { readonly [key: string]: JsonValue }): ProviderAnswer {
  if (answer.action === "block") return answer;
  const code = answer.action === "continue" ? ({ code: "normalised" } as const) : {};
  return { ...answer, ...code, modified_context: modified };
}

const passed = (reason: string): ProviderAnswer => ({ action: "continue", code: "passed", reason });

function block(code: GateCode, reason: string, value: string | number | null = null): ProviderAnswer {
  return { action: "block", code, reason, value };
}

const missing = ({ extract }: Gate): ProviderAnswer =>
  block("value_missing", extract === null ? "There is nothing to check" : `There is no value ${extract}`);
