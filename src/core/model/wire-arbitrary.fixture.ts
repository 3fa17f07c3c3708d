import * as fc from "fast-check";
import * as z from "zod/mini";

/** Texts of which at least one fits each form that records use. */
const TEXTS = [
  "2026-11-15T21:00:00.000Z",
  "2026-11-15",
  "21:00",
  "owner",
  "a",
  "task-1",
  "personal",
  "example.org",
  "api.example.org:443",
  "a.b",
  "notes/today.md",
  "repair:task-1",
  "0 8 * * *",
  "Tidy the notes",
  "https://example.org/a",
  "1",
  "0",
  "5e".repeat(16),
  "5e".repeat(32),
  "5e".repeat(64),
  `${"A".repeat(85)}Q==`,
  "c2lsYXM",
  "silas",
  "READ_ONLY",
  "123456",
  "conn-0123456789abcdef",
];

const NUMBERS = [0, 0.5, 1, 2, 7, 64, 300];

/** A schema with what it was made of, which every schema of the library has. */
type Schema = { readonly def: z.core.$ZodTypes["_zod"]["def"]; safeParse(value: unknown): { success: boolean } };

/** Values that have the form of what a schema reads; some break a rule about several fields, and are refused. */
export function wireArbitrary(given: z.core.$ZodType): fc.Arbitrary<unknown> {
  const schema = given as unknown as Schema;
  const { def } = schema;
  switch (def.type) {
    case "string":
      return known(schema, TEXTS);
    case "number":
      return known(schema, NUMBERS);
    case "boolean":
      return fc.boolean();
    case "literal":
      return fc.constantFrom(...def.values);
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "nullable":
      return fc.option(wireArbitrary(def.innerType), { nil: null, freq: 2 });
    case "optional":
    case "prefault":
      return wireArbitrary(def.innerType);
    case "array":
      return fc.array(wireArbitrary(def.element), { maxLength: 3 });
    case "pipe":
      // A text with a parser has its form in the parser.
      return def.in instanceof z.ZodMiniString ? known(schema, TEXTS) : wireArbitrary(def.in);
    case "union":
      return fc.oneof(...def.options.map((option) => wireArbitrary(option)));
    case "record":
      return fc.dictionary(wireArbitrary(def.keyType) as fc.Arbitrary<string>, wireArbitrary(def.valueType), {
        maxKeys: 2,
      });
    case "lazy":
      return fc.jsonValue({ maxDepth: 1 });
    case "object":
      return objectOf(def.shape);
    case "any":
    case "unknown":
      return fc.dictionary(fc.constantFrom("a", "b"), fc.integer(), { maxKeys: 2 });
    default:
      throw new Error(`no values for a schema of type ${def.type}`);
  }
}

/** Fields that may be left out are left out at times. */
function objectOf(shape: { readonly [key: string]: z.core.$ZodType }): fc.Arbitrary<object> {
  const fields = Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, wireArbitrary(field)]));
  const requiredKeys = Object.keys(shape).filter(
    (key) => !z.safeParse(shape[key] as z.core.$ZodType, undefined).success,
  );
  return fc.record(fields, { requiredKeys, noNullPrototype: true });
}

/** Those of the values that a schema takes by itself. */
function known<T>(schema: Schema, values: readonly T[]): fc.Arbitrary<T> {
  const fitting = values.filter((value) => schema.safeParse(value).success);
  if (fitting.length === 0) throw new Error(`none of the values fits ${JSON.stringify(schema.def)}`);
  return fc.constantFrom(...fitting);
}
