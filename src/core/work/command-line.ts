import { err, LIMITS, ok, type Result } from "#base";
import type { CommandRefusalCode } from "./problems.ts";

type CommandRefusal = { readonly code: CommandRefusalCode; readonly found: string };

/**
 * Splits a command line into its words by POSIX quoting. No shell ever reads the line, so whatever a shell would act
 * on is refused unless it is quoted: the words that are shown and signed are the words that run. [PLAN-03]
 */
export function splitCommand(text: string): Result<readonly string[], CommandRefusal> {
  if (text.length > LIMITS.commandChars) return refuse("command_too_long", `${text.length} characters`);
  const cursor: Cursor = { text: text.replace(/[ \t\r\n]+$/, ""), at: 0 };
  const words: string[] = [];
  for (;;) {
    skipBlanks(cursor);
    if (cursor.at >= cursor.text.length) break;
    const word = readWord(cursor, words.length === 0 ? "program" : "argument");
    if (!word.ok) return word;
    words.push(word.value);
    if (words.length > LIMITS.commandWords) return refuse("command_too_long", `${words.length} words`);
  }
  return words[0] === undefined || words[0] === "" ? refuse("command_empty", "") : ok(words);
}

type Cursor = { readonly text: string; at: number };
type Part = Result<string, CommandRefusal>;

const OPERATORS = new Set(["|", "&", ";", "<", ">", "(", ")", "\n", "\r"]);
const EXPANSIONS = new Set(["$", "`", "*", "?", "["]);

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";

/** Blanks, and a backslash before a line break, which joins the lines. */
function skipBlanks(cursor: Cursor): void {
  for (;;) {
    if (isBlank(cursor.text[cursor.at])) cursor.at += 1;
    else if (cursor.text.startsWith("\\\n", cursor.at)) cursor.at += 2;
    else return;
  }
}

function readWord(cursor: Cursor, role: "program" | "argument"): Part {
  const { text } = cursor;
  const start = cursor.at;
  let word = "";
  while (text[cursor.at] !== undefined && !isBlank(text[cursor.at])) {
    const part = readPart(cursor, start);
    if (!part.ok) return part;
    word += part.value;
  }
  const isAssignment = role === "program" && /^[A-Za-z_]\w*=/.test(text.slice(start, cursor.at));
  return isAssignment ? refuse("command_assignment", word) : ok(word);
}

/** The next character or quoted stretch of a word. */
function readPart(cursor: Cursor, wordStart: number): Part {
  const character = cursor.text[cursor.at] ?? "";
  if (character === "'") return readSingle(cursor);
  if (character === '"') return readDouble(cursor);
  if (character === "\\") return readEscape(cursor);
  if (OPERATORS.has(character)) return refuse("command_operator", operatorAt(cursor));
  const opensWord = cursor.at === wordStart;
  if (EXPANSIONS.has(character) || (opensWord && character === "~")) return refuse("command_expansion", character);
  if (opensWord && (character === "#" || character === "!")) return refuse("command_operator", character);
  cursor.at += 1;
  return ok(character);
}

function readSingle(cursor: Cursor): Part {
  const end = cursor.text.indexOf("'", cursor.at + 1);
  if (end === -1) return refuse("command_unfinished", "'");
  const inside = cursor.text.slice(cursor.at + 1, end);
  cursor.at = end + 1;
  return ok(inside);
}

function readDouble(cursor: Cursor): Part {
  const { text } = cursor;
  let inside = "";
  for (let at = cursor.at + 1; text[at] !== undefined; at += 1) {
    const character = text[at] ?? "";
    if (character === '"') {
      cursor.at = at + 1;
      return ok(inside);
    }
    if (character === "$" || character === "`") return refuse("command_expansion", character);
    const next = text[at + 1];
    if (character === "\\" && next !== undefined && '$`"\\\n'.includes(next)) {
      if (next !== "\n") inside += next;
      at += 1;
    } else inside += character;
  }
  return refuse("command_unfinished", '"');
}

function readEscape(cursor: Cursor): Part {
  const next = cursor.text[cursor.at + 1];
  if (next === undefined) return refuse("command_unfinished", "\\");
  cursor.at += 2;
  return ok(next === "\n" ? "" : next);
}

function operatorAt(cursor: Cursor): string {
  const operator = /^[|&;<>]+|^[()\n\r]/.exec(cursor.text.slice(cursor.at, cursor.at + 3))?.[0] ?? "";
  return operator === "\n" || operator === "\r" ? "a line break" : operator;
}

function refuse(code: CommandRefusalCode, found: string): Result<never, CommandRefusal> {
  return err({ code, found });
}
