/** Finds the answer of a model in JSON form inside of whatever it wrote around it. Never throws. */
import { LIMITS } from "#base";

export type AnswerObject = {
  readonly message: string | null;
  /** Null when no tool is called. */
  readonly tool: string | null;
  /** JSON text, as it was written. */
  readonly args: string;
};
type Found = { readonly start: number; readonly objects: readonly AnswerObject[] };

/** Objects that are tried before an answer is taken for text, and characters read for them: each may go to its end. */
const TRIES_MAX = 32;
const CHARS_MAX = 2 * LIMITS.modelAnswerChars;

/** The first object that has a tool or a message, and calls that follow it directly; null when there is none. */
export function readAnswerObjects(text: string): Found | null {
  const begins = /\{[ \t\r\n]{0,200}"/gu;
  let chars = 0;
  for (let tries = 0; tries < TRIES_MAX && chars < CHARS_MAX; tries += 1) {
    const start = begins.exec(text)?.index;
    if (start === undefined) return null;
    const { members, end } = scanObject(text, start);
    chars += end - start;
    // Inside of an object that is something else there is no answer; inside of what is no object there may be.
    begins.lastIndex = members === null ? start + 1 : end;
    const first = members === null ? null : readObject(members);
    if (first !== null) return { start, objects: [first, ...callsAfter(text, end)] };
  }
  return null;
}

function callsAfter(text: string, end: number): readonly AnswerObject[] {
  const calls: AnswerObject[] = [];
  const next = /[ \t\r\n,]{0,200}(?=\{)/uy;
  for (let at = end; calls.length < TRIES_MAX;) {
    next.lastIndex = at;
    if (!next.test(text)) return calls;
    const scanned = scanObject(text, next.lastIndex);
    const object = scanned.members === null ? null : readObject(scanned.members);
    if (object === null || object.tool === null) return calls;
    calls.push(object);
    at = scanned.end;
  }
  return calls;
}

type Members = ReadonlyMap<string, string>;

function readObject(members: Members): AnswerObject | null {
  const [message, named] = [stringIn(members, "message"), stringIn(members, "tool")];
  const tool = named === null || named.trim() === "" ? null : named;
  if (message === null && tool === null) return null;
  return { message, tool, args: argsIn(members) };
}

function stringIn(members: Members, key: string): string | null {
  const value: unknown = JSON.parse(members.get(JSON.stringify(key)) ?? "null");
  return typeof value === "string" ? value.toWellFormed() : null;
}

/** A string is what models write that escape their arguments once too often, or whose arguments were no JSON. */
function argsIn(members: Members): string {
  const text = members.get('"args"') ?? members.get('"arguments"') ?? "null";
  return text === "null" ? "{}" : text.startsWith('"') ? (stringIn(new Map([['"args"', text]]), "args") ?? text) : text;
}

/** `members` is null when there is no object; `end` is how far it was read. */
type Scanned = { readonly members: Members | null; readonly end: number };

/**
 * The object that begins at `start`, as the text of each key and value. Line breaks and other
 * controls inside of strings are escaped on the way. Values stay text, so that a long number keeps all its digits.
 */
function scanObject(text: string, start: number): Scanned {
  const members = new Map<string, string>();
  const whole: string[] = [];
  let [depth, key, piece] = [0, "", ""];
  for (let at = start; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (unit === '"') {
      const end = stringEnd(text, at);
      if (end === -1) return { members: null, end: text.length };
      piece += text.slice(at, end + 1).replace(CONTROL, escaped);
      at = end;
      continue;
    }
    if (unit === "}" || unit === "]") depth -= 1;
    const isEdge = depth === 0 || (depth === 1 && (unit === ":" || unit === ","));
    if (isEdge) {
      if (unit === ":") key = piece.trim();
      else if (key !== "") members.set(key, piece.trim());
      if (unit === ",") key = "";
      whole.push(piece, unit);
      piece = "";
    } else piece += unit;
    if (unit === "{" || unit === "[") depth += 1;
    if (depth === 0) return { members: isJson(whole.join("")) ? members : null, end: at + 1 };
  }
  return { members: null, end: text.length };
}

/** Where the string that begins at `start` ends; -1 when it does not. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at;
    if (unit === 0x5c) at += 1;
  }
  return -1;
}

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f]/gu;
const escaped = (unit: string): string => JSON.stringify(unit).slice(1, -1);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
