import * as z from "zod/mini";

/** Whether a value fits, told without copying it. */
export type Acceptor = (value: unknown) => boolean;

/**
 * A shorter way to a schema's "yes", derived from the schema itself. The library copies a value while it checks it and
 * collects reasons; a process that writes thousands of records a second needs neither. INVARIANT: what it accepts, the
 * schema accepts and leaves as it is. What it does not accept is for the schema to judge, which has the reasons.
 *
 * It knows texts with a form, numbers, literals, lists of words, booleans and strict objects of them; null for a schema
 * with any other part.
 */
export function acceptorOf(schema: z.core.$ZodType): Acceptor | null {
  const def = defOf(schema);
  const { checks = [] } = def;
  switch (def.type) {
    case "string":
      return textAcceptor(checks);
    case "number":
      return "format" in def && def.format === "safeint" ? countAcceptor(checks) : null;
    case "boolean":
      return checks.length > 0 ? null : (value) => typeof value === "boolean";
    case "literal":
      return checks.length > 0 ? null : oneOf(def.values);
    case "enum":
      return checks.length > 0 ? null : oneOf(Object.values(def.entries));
    case "nullable":
      return checks.length > 0 ? null : orNull(acceptorOf(def.innerType));
    case "union":
      return checks.length > 0 ? null : anyOf(def.options.map(acceptorOf));
    case "object": {
      const { catchall } = def;
      const isStrict = catchall !== undefined && defOf(catchall).type === "never" && checks.length === 0;
      return isStrict ? objectAcceptor(def.shape) : null;
    }
    default:
      return null;
  }
}

type Checks = readonly z.core.$ZodCheck[];
/** Every schema and every check has it, under a type that names all of them. */
const defOf = ({ _zod: made }: z.core.$ZodType) => made.def as z.core.$ZodTypes["_zod"]["def"];
const checkOf = ({ _zod: made }: z.core.$ZodCheck) => made.def as z.core.$ZodChecks["_zod"]["def"];

/** Nothing but forms: a length, for one, is counted in a way of the library's own. */
function textAcceptor(checks: Checks): Acceptor | null {
  const forms: RegExp[] = [];
  for (const check of checks) {
    const def = checkOf(check);
    if (def.check !== "string_format" || def.format !== "regex" || !("pattern" in def)) return null;
    const { pattern } = def;
    // A form that remembers where it stopped gives another answer the next time.
    if (!(pattern instanceof RegExp) || pattern.global || pattern.sticky) return null;
    forms.push(pattern);
  }
  // Many values repeat, such as a channel: the last one that matched is accepted without matching it again.
  let fitting: string | null = null;
  return (value) => {
    if (typeof value !== "string") return false;
    if (value === fitting) return true;
    for (const form of forms) if (!form.test(value)) return false;
    fitting = value;
    return true;
  };
}

/** Whole numbers from some number on. */
function countAcceptor(checks: Checks): Acceptor | null {
  let least = Number.MIN_SAFE_INTEGER;
  for (const check of checks) {
    const def = checkOf(check);
    if (def.check !== "greater_than" || !("inclusive" in def) || !def.inclusive) return null;
    if (typeof def.value !== "number") return null;
    least = Math.max(least, def.value);
  }
  return (value) => Number.isSafeInteger(value) && (value as number) >= least;
}

const oneOf =
  (values: readonly unknown[]): Acceptor =>
  (value) =>
    value !== undefined && values.includes(value);

const orNull = (accepts: Acceptor | null): Acceptor | null =>
  accepts === null ? null : (value) => value === null || accepts(value);

/** None of the options changes what it reads, so that it does not matter which of them the schema would have asked. */
function anyOf(options: readonly (Acceptor | null)[]): Acceptor | null {
  const known = options.filter((accepts) => accepts !== null);
  return known.length < options.length ? null : (value) => known.some((accepts) => accepts(value));
}

type Field = { readonly key: string; readonly accepts: Acceptor; readonly presence: "needed" | "optional" };

function objectAcceptor(shape: z.core.$ZodShape): Acceptor | null {
  const fields: Field[] = [];
  for (const [key, schema] of Object.entries(shape)) {
    const def = defOf(schema);
    const isOptional = def.type === "optional" && (def.checks ?? []).length === 0;
    const accepts = acceptorOf(isOptional ? def.innerType : schema);
    if (accepts === null || key === "__proto__") return null;
    fields.push({ key, accepts, presence: isOptional ? "optional" : "needed" });
  }
  const names = fields.map(({ key }) => key);
  return (value) => {
    if (typeof value !== "object" || value === null || !isPlain(value)) return false;
    for (const { key, accepts, presence } of fields) {
      const member = (value as Members)[key];
      // Nothing that is accepted is undefined, so a field with that value is left to the schema.
      if (member === undefined && presence === "optional" && !(key in value)) continue;
      if (!accepts(member)) return false;
    }
    // What is written of an object is its keys: each is one that is named, and was checked.
    return Object.keys(value).every((key, place) => key === names[place] || names.includes(key));
  };
}

/** An object of another kind, such as a moment of the library, comes out of a schema as another object. */
const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

type Members = { readonly [key: string]: unknown };
