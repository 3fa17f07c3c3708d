import * as z from "zod/mini";
import { canonicalJson, isWellFormed, LIMITS, oneLine, type JsonValue } from "#base";
import type { ConfigGroup, ValueKind } from "./config-nodes.ts";
import { instantSchema } from "./values.ts";

/** The message of a schema that refused a text only for characters which act on a screen or hide in it. */
export const UNSAFE_TEXT = "unsafe_text";

const plain = { reading: "document", role: "plain" } as const;

/** One line that shows exactly what it holds: nothing in it acts on a terminal, reorders text or is invisible. */
/* @__NO_SIDE_EFFECTS__ */
export function shownLine(rest: LineRest = {}): ValueKind<string> {
  const charsMax = rest.charsMax ?? LIMITS.nameChars;
  const shown = z.refine<string>((text) => oneLine(text) === text, UNSAFE_TEXT);
  return {
    ...plain,
    schema: z.string().check(z.maxLength(charsMax), z.regex(rest.pattern ?? /\S/), shown),
    expected: rest.expected ?? `one line of at most ${charsMax} characters`,
  };
}
type LineRest = { readonly charsMax?: number; readonly pattern?: RegExp; readonly expected?: string };

/** Text that may have several lines. Only what no reader expects in text is refused; display neutralises the rest. */
/* @__NO_SIDE_EFFECTS__ */
export function prose(charsMax: number): ValueKind<string> {
  const clean = z.refine<string>((text) => isWellFormed(text) && !CONTROL.test(text), UNSAFE_TEXT);
  return {
    ...plain,
    schema: z.string().check(z.maxLength(charsMax), clean),
    expected: `text of at most ${charsMax} characters`,
  };
}
// Tabs and line breaks are text.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** The id of a work item. Lower case and without separators of paths, so that it can name a directory anywhere. */
/* @__NO_SIDE_EFFECTS__ */
export function workId(): ValueKind<string> {
  return shownLine({
    charsMax: LIMITS.idChars,
    pattern: /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/,
    expected: "an id of lower-case letters, digits and single - _ . between them, such as task-0190f8a2",
  });
}

/** A name from a registry: a skill, a tool, an escalation, an access level. */
/* @__NO_SIDE_EFFECTS__ */
export function workName(): ValueKind<string> {
  return shownLine({
    charsMax: LIMITS.nameChars,
    pattern: /^[A-Za-z][A-Za-z0-9_.:-]*$/,
    expected: "a name of letters, digits and _ . : -",
  });
}

/** Two bounds, the lower first. */
/* @__NO_SIDE_EFFECTS__ */
export function range(): ValueKind<{ readonly min: number; readonly max: number }> {
  return {
    ...plain,
    schema: z
      .strictObject({ min: z.number(), max: z.number() })
      .check(z.refine(({ min, max }) => min <= max, "range_inverted")),
    expected: "a map of min and max, min not above max",
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function outside(): ValueKind<{ readonly outside: readonly number[] }> {
  const pair = z
    .array(z.number())
    .check(
      z.refine(([low, high, ...more]) => low !== undefined && high !== undefined && low <= high && more.length === 0),
    );
  return {
    ...plain,
    schema: z.strictObject({ outside: pair }),
    expected: "a map of outside: [low, high], low not above high",
  };
}

/** Parameters that belong to someone else, kept as written as long as they have canonical bytes. */
/* @__NO_SIDE_EFFECTS__ */
export function parameters(): ValueKind<Readonly<Record<string, JsonValue>>> {
  const canonical = z.refine((value: unknown) => {
    const text = canonicalJson(value);
    return text.ok && text.value.length <= LIMITS.planFrontMatterChars;
  });
  const schema = z.record(z.string(), z.json()).check(canonical) as z.ZodMiniType<Readonly<Record<string, JsonValue>>>;
  return { ...plain, schema, expected: "a map" };
}

/* @__NO_SIDE_EFFECTS__ */
export function instant(): ValueKind<z.infer<typeof instantSchema>> {
  return { ...plain, schema: instantSchema, expected: "an instant in UTC with milliseconds" };
}

/** A group that is null when the record has none of it. */
export type NullableGroup<G extends ConfigGroup> = G & { readonly nullable: true };

/* @__NO_SIDE_EFFECTS__ */
export function nullableGroup<G extends ConfigGroup>(node: G): NullableGroup<G> {
  return { ...node, nullable: true };
}
