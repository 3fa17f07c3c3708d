import * as z from "zod/mini";
import { canonicalJson, isWellFormed, LIMITS, neutralise, oneLine, type JsonValue } from "#base";
import type { ConfigGroup, ValueKind } from "../config-nodes.ts";
import { decoded, instantSchema, maxLength } from "../values.ts";

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
    schema: z.string().check(maxLength(charsMax), z.regex(rest.pattern ?? VISIBLE), shown),
    expected: rest.expected ?? `one line of at most ${charsMax} characters`,
  };
}
// Joiners are allowed inside words, but a name of nothing else would show nothing.
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
type LineRest = { readonly charsMax?: number; readonly pattern?: RegExp; readonly expected?: string };

/** Text that may have several lines, and shows what it holds just as well. */
/* @__NO_SIDE_EFFECTS__ */
export function prose(charsMax: number): ValueKind<string> {
  const shown = z.refine<string>((text) => neutralise(text) === text, UNSAFE_TEXT);
  return {
    ...plain,
    schema: z.string().check(maxLength(charsMax), shown),
    expected: `text of at most ${charsMax} characters`,
  };
}

/** The briefing: kept exactly as written, so that only controls are refused; a person is told of the rest. */
/* @__NO_SIDE_EFFECTS__ */
export function briefing(): ValueKind<string> {
  const clean = z.refine<string>((text) => isWellFormed(text) && !CONTROL.test(text), UNSAFE_TEXT);
  return {
    ...plain,
    schema: z.string().check(maxLength(LIMITS.planBodyChars), clean),
    expected: `text of at most ${LIMITS.planBodyChars} characters`,
  };
}
// Tabs and line breaks are text; other controls act on whatever shows them.
const CONTROL = /[^\P{Cc}\t\n\r]/u;

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

/** Parameters that belong to someone else, kept as written as long as they have canonical bytes that show. */
/* @__NO_SIDE_EFFECTS__ */
export function parameters(): ValueKind<Parameters> {
  const schema = z.codec(z.unknown(), decoded<Parameters>(), {
    decode: (value, context) => {
      const text = canonicalJson(value);
      const isMap = text.ok && text.value.startsWith("{") && text.value.length <= LIMITS.planFrontMatterChars;
      // Read again from its own bytes: plain objects, whatever prototype the reader gave them.
      if (isMap && neutralise(text.value) === text.value) return JSON.parse(text.value) as Parameters;
      context.issues.push({ code: "custom", message: isMap ? UNSAFE_TEXT : "not_parameters", input: value });
      return z.NEVER;
    },
    encode: (value) => value,
  });
  return { ...plain, schema, expected: "a map" };
}
type Parameters = { readonly [name: string]: JsonValue };

/* @__NO_SIDE_EFFECTS__ */
export function instant(): ValueKind<z.infer<typeof instantSchema>> {
  return { ...plain, schema: instantSchema, expected: "an instant in UTC with milliseconds" };
}

/** A group that is null when the record has none of it. */
type NullableGroup<G extends ConfigGroup> = G & { readonly nullable: true };

/* @__NO_SIDE_EFFECTS__ */
export function nullableGroup<G extends ConfigGroup>(node: G): NullableGroup<G> {
  return { ...node, nullable: true };
}
