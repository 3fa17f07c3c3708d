import * as z from "zod/mini";
import {
  err,
  isWellFormed,
  LIMITS,
  ok,
  parseInstant,
  parseLocalDate,
  parseLocalTime,
  type Brand,
  type Instant,
  type LocalDate,
  type LocalTime,
  type Result,
  type Sha256Hex,
} from "#base";

/** Identity of one journal record. Never contains `|` or control characters, so it can stand in a change key. */
export type RecordId = Brand<string, "RecordId">;
/** Identity of one write request; applied at most once. */
export type OperationId = Brand<string, "OperationId">;
/** Identity of one device's database. */
export type HostId = Brand<string, "HostId">;

const ID = /^[A-Za-z0-9][A-Za-z0-9._:@-]*$/;

const TEXT_ID = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;
/** An id of a request, a run, a scope or a message, wherever it is written. */
export const id = z.string().check(z.regex(TEXT_ID));
export const isId = (text: unknown): text is string => typeof text === "string" && TEXT_ID.test(text);
/** The same with a prefix of its owner. */
export const longId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,159}$/));

export const recordIdSchema = idSchema<RecordId>();
export const operationIdSchema = idSchema<OperationId>();
export const hostIdSchema = idSchema<HostId>();

/** The beginning or the end of an id. Shorter ones fit too many to mean one. */
export const ID_PART_CHARS_MIN = 4;
export const idPartSchema = z
  .string()
  .check(minLength(ID_PART_CHARS_MIN), maxLength(LIMITS.idChars), z.regex(/^[A-Za-z0-9._:@-]+$/));
export const isIdPart = (value: unknown): value is string => idPartSchema.safeParse(value).success;

export const instantSchema = parsedText<Instant>(parseInstant);
export const localDateSchema = parsedText<LocalDate>(parseLocalDate);
export const localTimeSchema = parsedText<LocalTime>(parseLocalTime);

const HEX_32_BYTES = /^[0-9a-f]{64}$/;
/** SHA-256 in lower-case hex. */
export const digestSchema = branded<Sha256Hex>(HEX_32_BYTES);
/** The same without its brand. */
export const digest = z.string().check(z.regex(HEX_32_BYTES));
/** 32 random bytes in lower-case hex. */
export const nonce = z.string().check(z.regex(HEX_32_BYTES));

/** A text of this form, which is why it counts as what its type says. */
/* @__NO_SIDE_EFFECTS__ */
export function branded<T extends string>(form: RegExp): z.ZodMiniType<T, string> {
  return z.string().check(z.regex(form)) as z.ZodMiniType<string, string> as z.ZodMiniType<T, string>;
}

/** A whole number that is not negative, as an address carries it. */
/* @__NO_SIDE_EFFECTS__ */
export function numberText(digitsMax: number) {
  const digits = z.string().check(z.regex(new RegExp(`^\\d{1,${digitsMax}}$`)));
  return z.codec(digits, z.int(), { decode: Number, encode: String });
}

/** Text of people: kept exactly as written; only what cannot be stored as UTF-8 is refused. */
const wellFormed = z.refine<string>(isWellFormed, "invalid_text");
const notBlank = z.refine<string>((text) => text.trim().length > 0, "blank_text");
export const titleSchema = z.string().check(notBlank, maxLength(LIMITS.titleChars), wellFormed);
export const nameSchema = z.string().check(notBlank, maxLength(LIMITS.nameChars), wellFormed);
export const textSchema = z.string().check(maxLength(LIMITS.textChars), wellFormed);

/**
 * The same for words that somebody gives now and that stand on one line wherever they are shown. Line breaks, as a paste or
 * a script brings them, become spaces. What was stored before keeps its own: records are read with the schemas above.
 */
export const givenTitleSchema = onOneLine(titleSchema);
export const givenNameSchema = onOneLine(nameSchema);
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/;

/* @__NO_SIDE_EFFECTS__ */
export function onOneLine(schema: z.ZodMiniType<string, string>) {
  return z.codec(z.string(), schema, { decode: joinLines, encode: (text) => text });
}

function joinLines(text: string): string {
  if (!LINE_BREAKS.test(text)) return text;
  const lines = text.split(LINE_BREAKS).map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

function idSchema<T extends string>() {
  return parsedText<T>((text) => {
    const fits = text.length <= LIMITS.idChars && ID.test(text);
    return fits ? ok(text as T) : err({ code: "invalid_id" });
  });
}

/** A text that becomes a branded value through its parser; the parser's code is the issue's message. */
/* @__NO_SIDE_EFFECTS__ */
export function parsedText<T extends string>(parse: (text: string) => Result<T, { readonly code: string }>) {
  return z.codec(z.string(), decoded<T>(), {
    decode: (text, context) => {
      const result = parse(text);
      if (result.ok) return result.value;
      context.issues.push({ code: "custom", message: result.error.code, input: text });
      return z.NEVER;
    },
    encode: (text) => text,
  });
}

/** The value side of a codec whose decoder has checked everything already. */
/* @__NO_SIDE_EFFECTS__ */
export function decoded<T>(): z.ZodMiniType<T, T> {
  return z.any();
}

// By itself zod judges the length of everything that has one, also where the type is already refused. Comparing
// `{ "length": { "valueOf": 1, "toString": 1 } }` with a number throws, and a schema must refuse, never throw.
function when({ value }: { readonly value: unknown }): boolean {
  return typeof value === "string" || Array.isArray(value);
}

/** At most this many characters of a text or entries of a list. */
/* @__NO_SIDE_EFFECTS__ */
export function maxLength(maximum: number): z.core.$ZodCheckMaxLength {
  return new z.core.$ZodCheckMaxLength({ check: "max_length", maximum, when });
}

/** At least this many characters of a text or entries of a list. */
/* @__NO_SIDE_EFFECTS__ */
export function minLength(minimum: number): z.core.$ZodCheckMinLength {
  return new z.core.$ZodCheckMinLength({ check: "min_length", minimum, when });
}
