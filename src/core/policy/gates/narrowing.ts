import { canonicalJson, type JsonValue } from "#base";
import type { Gate, ToolArgs } from "#model";
import { normalisationOf } from "./normalise.ts";

type Change = { readonly from: ToolArgs; readonly to: ToolArgs; readonly gate: Gate };

/**
 * Whether arguments that a person approved only became less. Counts as less: a number moved toward zero onto a bound
 * that the gate itself states, and a list from which the gate took what is not among its allowed values. The gate was
 * in front of the person too, so both could be read before approving. Nothing else does: without `--dry-run` an argument
 * list does more, and the beginning of a path reaches further than the path.
 */
export function narrows({ from, to, gate }: Change): boolean {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].every((name) => {
    // An argument that comes or goes changes what the call means.
    if (!Object.hasOwn(from, name) || !Object.hasOwn(to, name)) return false;
    const before = from[name] as JsonValue;
    const after = to[name] as JsonValue;
    return isSame(before, after) || isClamped({ before, after, gate }) || isFiltered({ before, after, gate });
  });
}

type Pair = { readonly before: JsonValue; readonly after: JsonValue; readonly gate: Gate };

function isClamped({ before, after, gate }: Pair): boolean {
  const clamp = normalisationOf(gate)?.clamp ?? null;
  if (clamp === null || typeof before !== "number" || typeof after !== "number") return false;
  const isBound = after === clamp.min || after === clamp.max;
  // On the side of zero where it was, and no further away than it was.
  const isTowardZero = after === Math.sign(before) * Math.min(Math.abs(before), Math.abs(after));
  return isBound && isTowardZero;
}

function isFiltered({ before, after, gate }: Pair): boolean {
  if (normalisationOf(gate)?.keepAllowed !== true) return false;
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  const allowed: readonly JsonValue[] = gate.allowedValues ?? [];
  return isSame(
    before.filter((value: JsonValue) => allowed.includes(value)),
    after,
  );
}

/** Equal as JSON; what has no canonical form equals nothing. */
export function isSame(one: JsonValue, other: JsonValue): boolean {
  const texts = [canonicalJson(one), canonicalJson(other)] as const;
  return texts[0].ok && texts[1].ok && texts[0].value === texts[1].value;
}
