import { gateSchemas, type Gate } from "#model";

/** How a gate may put a value right instead of refusing it. Only what its `config.normalise` says. [PRED-14] */
type Normalisation = {
  readonly clamp: { readonly min: number; readonly max: number } | null;
  readonly trim: boolean;
  readonly lower: boolean;
  readonly keepAllowed: boolean;
};

/** Null when the gate states none. `isNormalisable` says whether what it states makes sense. */
export function normalisationOf({ config }: Gate): Normalisation | null {
  if (!Object.hasOwn(config, "normalise")) return null;
  const read = gateSchemas.normalise.safeParse(config["normalise"]);
  if (!read.success) return null;
  const { clamp = null, trim = false, lower = false, keep_allowed: keepAllowed = false } = read.data;
  return { clamp, trim, lower, keepAllowed };
}

const NUMBERS = new Set(["numeric_range"]);
const TEXTS = new Set(["string_match", "regex"]);

/** What a gate states must be readable, fit its type, and be about something that can be rewritten. */
export function isNormalisable(gate: Gate): boolean {
  if (!Object.hasOwn(gate.config, "normalise")) return true;
  const normalisation = normalisationOf(gate);
  if (normalisation === null || gate.provider !== "predicate") return false;
  const { clamp, trim, lower, keepAllowed } = normalisation;
  if (clamp !== null && !NUMBERS.has(gate.type)) return false;
  if ((trim || lower) && !TEXTS.has(gate.type)) return false;
  if (keepAllowed && (gate.type !== "string_match" || gate.allowedValues === null)) return false;
  // Arguments, messages and replies can be rewritten; a variable of the runtime is only looked at.
  if (clamp !== null || keepAllowed) return gate.on === "on_tool_call" && gate.extract !== null;
  return gate.on !== "after_step";
}
