import { canonicalJson, isUnsafeInteger, type JsonValue } from "./canonical-json.ts";
import { LIMITS } from "./limits.ts";
import { err, ok, type Result } from "./result.ts";

export type JsonParseErrorCode =
  | "unexpected_end"
  | "unexpected_character"
  | "trailing_text"
  | "invalid_number"
  | "invalid_escape"
  | "control_character"
  | "lone_surrogate"
  | "duplicate_key"
  | "unsafe_integer"
  | "number_overflow"
  | "nested_too_deep";

/** Why a text was refused, and where. Line and column count from 1, the column in UTF-16 units. */
export type JsonParseError = { readonly code: JsonParseErrorCode; readonly line: number; readonly column: number };

/**
 * Reads JSON that has one meaning only: what RFC 8259 leaves to the reader (duplicate keys, lone surrogates, integers a
 * double cannot hold, numbers beyond its range) is refused. The text is checked first, in one pass, and only then
 * handed to the engine's own parser, which keeps `__proto__` as data. A text with an escape in a key is read here: V8 may
 * give such a key the name of another one, if it has read an object of that shape before.
 */
export function parseStrictJson(text: string): Result<JsonValue, JsonParseError> {
  const cursor: Cursor = { text, at: 0, hasEscapedKey: false };
  try {
    checkValue(cursor, 1);
    nextUnit(cursor);
    if (cursor.at < text.length) refuse("trailing_text", cursor.at);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return err({ code: thrown.code, ...placeOf(text, thrown.at) });
  }
  return ok(cursor.hasEscapedKey ? readValue({ ...cursor, at: 0 }) : (JSON.parse(text) as JsonValue));
}

/**
 * Reads a text that has to be the canonical form of its value (RFC 8785); any other spelling of it is refused. The form is
 * checked by writing the value again: keys that stand twice, integers a double cannot hold and lone surrogates would all
 * come out as another text or as none. So only a text that differs is read unit by unit, which says what is wrong with
 * it, and which reads the keys that V8 may give another name.
 */
export function parseCanonicalJson(
  text: string,
): Result<JsonValue, JsonParseError | { readonly code: "not_canonical" }> {
  const value = unlessInvalid(text);
  if (value !== undefined && isFormOf(value, text)) return ok(value);
  const parsed = parseStrictJson(text);
  return !parsed.ok || isFormOf(parsed.value, text) ? parsed : err({ code: "not_canonical" });
}

function isFormOf(value: JsonValue, text: string): boolean {
  const canonical = canonicalJson(value);
  return canonical.ok && canonical.value === text;
}

function unlessInvalid(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

type Cursor = { readonly text: string; at: number; hasEscapedKey: boolean };

class Refusal {
  readonly code: JsonParseErrorCode;
  readonly at: number;
  constructor(code: JsonParseErrorCode, at: number) {
    this.code = code;
    this.at = at;
  }
}

function refuse(code: JsonParseErrorCode, at: number): never {
  throw new Refusal(code, at);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Skips white space and gives the code unit there, NaN at the end of the text. */
function nextUnit(cursor: Cursor): number {
  for (;;) {
    const unit = cursor.text.charCodeAt(cursor.at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return unit;
    cursor.at += 1;
  }
}

function checkValue(cursor: Cursor, depth: number): void {
  const unit = nextUnit(cursor);
  if (unit === QUOTE) checkString(cursor);
  else if (unit === OPEN_OBJECT) checkObject(cursor, depth);
  else if (unit === OPEN_ARRAY) checkArray(cursor, depth);
  else if (unit === 0x2d || isDigit(unit)) checkNumber(cursor);
  else checkWord(cursor);
}

function checkObject(cursor: Cursor, depth: number): void {
  if (depth > LIMITS.documentDepth) refuse("nested_too_deep", cursor.at);
  cursor.at += 1;
  if (takes(cursor, CLOSE_OBJECT)) return;
  const keys = new Set<string>();
  do {
    if (nextUnit(cursor) !== QUOTE) refuseHere(cursor);
    const start = cursor.at;
    const known = keys.size;
    keys.add(readKey(cursor));
    if (keys.size === known) refuse("duplicate_key", start);
    if (!takes(cursor, COLON)) refuseHere(cursor);
    checkValue(cursor, depth + 1);
  } while (takes(cursor, COMMA));
  if (!takes(cursor, CLOSE_OBJECT)) refuseHere(cursor);
}

function checkArray(cursor: Cursor, depth: number): void {
  if (depth > LIMITS.documentDepth) refuse("nested_too_deep", cursor.at);
  cursor.at += 1;
  if (takes(cursor, CLOSE_ARRAY)) return;
  do checkValue(cursor, depth + 1);
  while (takes(cursor, COMMA));
  if (!takes(cursor, CLOSE_ARRAY)) refuseHere(cursor);
}

/** Steps over the next unit if it is the one asked for. */
function takes(cursor: Cursor, unit: number): boolean {
  if (nextUnit(cursor) !== unit) return false;
  cursor.at += 1;
  return true;
}

/** The value of a text that was checked. */
function readValue(cursor: Cursor): JsonValue {
  const unit = nextUnit(cursor);
  if (unit === OPEN_OBJECT) return readObject(cursor);
  if (unit === OPEN_ARRAY) return readArray(cursor);
  const start = cursor.at;
  checkValue(cursor, 1);
  return JSON.parse(cursor.text.slice(start, cursor.at)) as JsonValue;
}

function readObject(cursor: Cursor): JsonValue {
  const members: [string, JsonValue][] = [];
  cursor.at += 1;
  while (!takes(cursor, CLOSE_OBJECT)) {
    takes(cursor, COMMA);
    nextUnit(cursor);
    const key = readKey(cursor);
    takes(cursor, COLON);
    members.push([key, readValue(cursor)]);
  }
  // Unlike an assignment, this keeps `__proto__` as data.
  return Object.fromEntries(members);
}

function readArray(cursor: Cursor): JsonValue {
  const items: JsonValue[] = [];
  cursor.at += 1;
  while (!takes(cursor, CLOSE_ARRAY)) {
    takes(cursor, COMMA);
    items.push(readValue(cursor));
  }
  return items;
}

/** Two spellings of one key (`"a"` and `"\u0061"`) are one key, so escapes are resolved before comparing. */
function readKey(cursor: Cursor): string {
  const start = cursor.at;
  const spelling = checkString(cursor);
  if (spelling === "plain") return cursor.text.slice(start + 1, cursor.at - 1);
  cursor.hasEscapedKey = true;
  return JSON.parse(cursor.text.slice(start, cursor.at)) as string;
}

function checkString(cursor: Cursor): "plain" | "escaped" {
  const { text } = cursor;
  let spelling: "plain" | "escaped" = "plain";
  let at = cursor.at + 1;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) break;
    if (unit === BACKSLASH) {
      spelling = "escaped";
      cursor.at = at;
      checkEscape(cursor);
      at = cursor.at;
    } else if (unit >= 0xd800 && unit <= 0xdfff) {
      cursor.at = at + 1;
      checkPair(cursor, unit, at);
      at = cursor.at;
    } else if (unit >= 0x20) at += 1;
    else refuse(at < text.length ? "control_character" : "unexpected_end", at);
  }
  cursor.at = at + 1;
  return spelling;
}

/** After a surrogate, raw or escaped: it must be a high one, and a low one must follow, raw or escaped. */
function checkPair(cursor: Cursor, unit: number, start: number): void {
  if (unit >= 0xdc00) refuse("lone_surrogate", start);
  const next = cursor.text.charCodeAt(cursor.at);
  const escaped = next === BACKSLASH ? hexUnit(cursor) : null;
  const low = escaped ?? next;
  if (!(low >= 0xdc00 && low <= 0xdfff)) refuse("lone_surrogate", start);
  cursor.at += escaped === null ? 1 : 6;
}

function checkEscape(cursor: Cursor): void {
  const start = cursor.at;
  const letter = cursor.text.charAt(start + 1);
  if (letter === "") refuse("unexpected_end", cursor.text.length);
  if (letter !== "u") {
    if (!'"\\/bfnrt'.includes(letter)) refuse("invalid_escape", start);
    cursor.at += 2;
    return;
  }
  const unit = hexUnit(cursor);
  if (unit === null) return refuse("invalid_escape", start);
  cursor.at += 6;
  if (unit >= 0xd800 && unit <= 0xdfff) checkPair(cursor, unit, start);
}

/** The code unit a `\uXXXX` at the cursor stands for, or null when there is none. */
function hexUnit(cursor: Cursor): number | null {
  const escape = cursor.text.slice(cursor.at, cursor.at + 6);
  return /^\\u[0-9a-fA-F]{4}$/.test(escape) ? Number.parseInt(escape.slice(2), 16) : null;
}

// Digits up to this many always fit a double.
const SAFE_DIGITS = 15;

function checkNumber(cursor: Cursor): void {
  const start = cursor.at;
  const { text } = cursor;
  if (text.charCodeAt(cursor.at) === 0x2d) cursor.at += 1;
  const firstDigit = cursor.at;
  skipDigits(cursor);
  if (text.charCodeAt(firstDigit) === 0x30 && cursor.at > firstDigit + 1) refuse("invalid_number", firstDigit);
  const digits = cursor.at - firstDigit;
  let isInteger = true;
  if (text.charCodeAt(cursor.at) === 0x2e) {
    isInteger = false;
    cursor.at += 1;
    skipDigits(cursor);
  }
  if ((text.charCodeAt(cursor.at) | 0x20) === 0x65) {
    isInteger = false;
    cursor.at += 1;
    const sign = text.charCodeAt(cursor.at);
    if (sign === 0x2b || sign === 0x2d) cursor.at += 1;
    skipDigits(cursor);
  }
  if (isInteger && digits <= SAFE_DIGITS) return;
  const value = Number(text.slice(start, cursor.at));
  // Rounding keeps order, so an integer beyond the safe range in the text is beyond it as a double too.
  if (isInteger ? !Number.isSafeInteger(value) : isUnsafeInteger(value)) refuse("unsafe_integer", start);
  if (!Number.isFinite(value)) refuse("number_overflow", start);
}

function skipDigits(cursor: Cursor): void {
  const start = cursor.at;
  while (isDigit(cursor.text.charCodeAt(cursor.at))) cursor.at += 1;
  if (cursor.at > start) return;
  refuse(start < cursor.text.length ? "invalid_number" : "unexpected_end", start);
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function checkWord(cursor: Cursor): void {
  const word = ["true", "false", "null"].find((candidate) => cursor.text.startsWith(candidate, cursor.at));
  if (word === undefined) return refuseHere(cursor);
  cursor.at += word.length;
}

function refuseHere(cursor: Cursor): never {
  refuse(cursor.at < cursor.text.length ? "unexpected_character" : "unexpected_end", cursor.at);
}

function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  for (let found = text.indexOf("\n"); found !== -1 && found < at; found = text.indexOf("\n", lineStart)) {
    line += 1;
    lineStart = found + 1;
  }
  return { line, column: at - lineStart + 1 };
}
