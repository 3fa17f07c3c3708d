import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { assert, err, ok, type Result } from "./result.ts";
import { LIMITS } from "./limits.ts";
import { isWellFormed } from "./text.ts";
import type { Brand } from "./brand.ts";

/** What JSON can say. Objects are plain: every own enumerable key is data, `__proto__` included. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

type CanonicalErrorCode =
  | "unsupported_value"
  | "number_not_finite"
  | "unsafe_integer"
  | "lone_surrogate"
  | "nested_too_deep"
  | "too_large";

/** Why a value has no canonical form, and where: `path` is a JSON pointer (RFC 6901). */
export type CanonicalError = { readonly code: CanonicalErrorCode; readonly path: string };

/**
 * The canonical text of a value by RFC 8785: keys in UTF-16 code unit order, no white space, shortest numbers.
 * Hashes and signatures are taken over its UTF-8 bytes, so a value that another reader could understand
 * differently is refused instead of being written: nothing is dropped and nothing is coerced.
 */
export function canonicalJson(value: unknown): Result<string, CanonicalError> {
  try {
    return ok(write(value, 1));
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return err({ code: thrown.code, path: pointer(thrown.keys) });
  }
}

/** SHA-256 of the canonical bytes of a value. */
export function canonicalDigest(value: unknown): Result<Sha256Hex, CanonicalError> {
  const text = canonicalJson(value);
  return text.ok ? ok(sha256Hex(text.value)) : text;
}

/**
 * A number as RFC 8785 writes it, which is how ECMAScript prints it; NaN and the infinities have no form.
 * `canonicalJson` is stricter, see `isUnsafeInteger`.
 */
export function canonicalNumber(value: number): string {
  assert(Number.isFinite(value), "canonicalNumber of a finite number");
  return String(value);
}

/**
 * True for a number whose canonical form is a row of digits that a double cannot hold exactly.
 * From 1e21 upward the form has an exponent: it reads as an approximation, which is what it is, and is allowed.
 */
export function isUnsafeInteger(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude > Number.MAX_SAFE_INTEGER && magnitude < 1e21;
}

// Ends a walk from any depth. Results at every leaf would cost more than the writing itself.
class Refusal {
  readonly code: CanonicalErrorCode;
  readonly keys: (string | number)[] = [];
  constructor(code: CanonicalErrorCode) {
    this.code = code;
  }
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return isPlain(value) ? `"${value}"` : quote(value);
    case "number":
      return writeNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      // A cycle ends here too: it is a document of endless depth.
      if (depth > LIMITS.documentDepth) throw new Refusal("nested_too_deep");
      return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
    default:
      throw new Refusal("unsupported_value");
  }
}

function writeNumber(value: number): string {
  // One comparison pair passes every ordinary number, fractions included, and fails for NaN.
  if (value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER) return `${value}`;
  if (!Number.isFinite(value)) throw new Refusal("number_not_finite");
  if (isUnsafeInteger(value)) throw new Refusal("unsafe_integer");
  return canonicalNumber(value);
}

function writeArray(items: readonly unknown[], depth: number): string {
  if (items.length === 0) return "[]";
  let text = "[";
  let index = 0;
  try {
    for (; index < items.length; index += 1) {
      if (index > 0) text += ",";
      text += write(items[index], depth + 1);
      if (text.length > LIMITS.canonicalChars) throw new Refusal("too_large");
    }
  } catch (thrown) {
    throw located(thrown, index);
  }
  return `${text}]`;
}

// Strings are most of a record. The quotes around a string that needs no escape are part of the key texts beside it
// (`"key":"` before, `","next":` after), which halves the number of joins; `open` says that a quote is owed.
function writeObject(record: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(record);
  if (prototype !== Object.prototype && prototype !== null) throw new Refusal("unsupported_value");
  const keys = Object.keys(record);
  if (keys.length === 0) return "{}";
  const shape = shapeOf(keys);
  if (shape === null) throw new Refusal("lone_surrogate");
  const { order, leads } = shape;
  const values: readonly unknown[] = Object.values(record);
  let text = "";
  let open = 0;
  let index = 0;
  try {
    for (; index < order.length; index += 1) {
      const value = values[order[index] as number];
      if (typeof value === "string" && isPlain(value)) {
        text += leads[4 * index + open + 1];
        text += value;
        open = 2;
      } else {
        text += leads[4 * index + open];
        text += typeof value === "string" ? quote(value) : write(value, depth + 1);
        open = 0;
      }
      if (text.length > LIMITS.canonicalChars) throw new Refusal("too_large");
    }
  } catch (thrown) {
    throw located(thrown, keys[order[index] as number] as string);
  }
  return open === 0 ? `${text}}` : `${text}"}`;
}

function located(thrown: unknown, key: string | number): unknown {
  if (thrown instanceof Refusal) thrown.keys.push(key);
  return thrown;
}

const NEEDS_ESCAPE = /[\u0000-\u001f"\\]/;
const SHORT_CHARS = 24;

/** True when a string is its own canonical content. Short strings are looped over: a pattern costs more to enter. */
function isPlain(text: string): boolean {
  if (text.length >= SHORT_CHARS) return !NEEDS_ESCAPE.test(text) && isWellFormed(text);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c) return false;
    if (unit >= 0xd800 && unit <= 0xdfff) return !NEEDS_ESCAPE.test(text) && isWellFormed(text);
  }
  return true;
}

function quote(text: string): string {
  if (!isWellFormed(text)) throw new Refusal("lone_surrogate");
  return JSON.stringify(text);
}

function pointer(keysInnermostFirst: readonly (string | number)[]): string {
  return keysInnermostFirst
    .toReversed()
    .map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/**
 * How to write the keys of one kind of record: `order` holds the positions of its keys in code unit order, and `leads`
 * four texts per sorted key: the key itself, the key before an unescaped string, and both again after one.
 */
type KeyShape = { readonly order: readonly number[]; readonly leads: readonly string[] };

/** The shape of an object with these keys in this order; null when a key holds a lone surrogate. */
function shapeOf(keys: readonly string[]): KeyShape | null {
  if (keys.length > KEYS_REMEMBERED) return createShape(keys);
  let node = root;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    node = node.key === key && node.child !== null ? node.child : step(node, key);
  }
  node.shape ??= rememberShape(keys);
  return node.shape;
}

// Records of one kind carry the same keys in the same order, so sorting and quoting them is done once. The memory is
// a tree with one step per key; like the engine's own hidden classes, most nodes have a single child, kept inline.
type Node = { key: string | null; child: Node | null; others: Map<string, Node> | null; shape: KeyShape | null };

// Objects with more keys are dictionaries; each would be a shape of its own.
const KEYS_REMEMBERED = 64;
// Characters held by the tree before it starts anew: keys can come from outside, so the memory must not grow with them.
const WEIGHT_MAX = 1_000_000;
const NODE_WEIGHT = 32;

let root = createNode();
let weight = 0;

function createNode(): Node {
  return { key: null, child: null, others: null, shape: null };
}

function step(node: Node, key: string): Node {
  const known = node.others?.get(key);
  if (known !== undefined) return known;
  const child = createNode();
  if (node.key === null) {
    node.key = key;
    node.child = child;
  } else {
    node.others ??= new Map();
    node.others.set(key, child);
  }
  grow(key.length + NODE_WEIGHT);
  return child;
}

function rememberShape(keys: readonly string[]): KeyShape | null {
  const shape = createShape(keys);
  for (const key of keys) grow(4 * (key.length + NODE_WEIGHT));
  return shape;
}

// The walk that crosses the limit finishes on the old tree, which then falls away as a whole.
function grow(chars: number): void {
  weight += chars;
  if (weight <= WEIGHT_MAX) return;
  root = createNode();
  weight = 0;
}

function createShape(keys: readonly string[]): KeyShape | null {
  if (!keys.every(isWellFormed)) return null;
  const positions = new Map(keys.map((key, index) => [key, index]));
  const sorted = keys.toSorted();
  const leads = sorted.flatMap((key, index) => {
    // `join` makes flat strings. A template makes ropes, which V8 would flatten again for every text built from them.
    const lead = [index === 0 ? "{" : ",", JSON.stringify(key), ":"].join("");
    return [lead, [lead, '"'].join(""), ['"', lead].join(""), ['"', lead, '"'].join("")];
  });
  return { order: sorted.map((key) => positions.get(key) as number), leads };
}

/** A SHA-256 digest as 64 lowercase hex digits. */
export type Sha256Hex = Brand<string, "Sha256Hex">;

/** SHA-256 of the UTF-8 bytes of a text, or of bytes as they are. */
export function sha256Hex(input: string | Uint8Array): Sha256Hex {
  return bytesToHex(sha256(typeof input === "string" ? bytesOf(input) : input)) as Sha256Hex;
}

function bytesOf(text: string): Uint8Array {
  // The encoder would write every lone surrogate as the same replacement character, and different texts would share
  // a digest. Parsers refuse such texts, so one that arrives here is a bug.
  assert(isWellFormed(text), "sha256Hex of well-formed text");
  return utf8ToBytes(text);
}
