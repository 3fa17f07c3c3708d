/** Finds functions in blanked code: where they start and end, their parameters, and whether they are exported. */
import { partnersOf, readSource } from "./source.ts";

type FoundFunction = {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly parameters: readonly string[];
  readonly isExported: boolean;
};

type Code = { readonly code: string; readonly partners: ReadonlyMap<number, number> };

const NOT_METHODS = new Set(["if", "for", "while", "switch", "catch", "return", "function", "with", "await", "typeof"]);

export function functionsOf(source: string): readonly FoundFunction[] {
  const { code } = readSource(source);
  const read: Code = { code, partners: partnersOf(code) };
  return [...declared(read), ...methods(read), ...arrows(read)];
}

function declared(read: Code): readonly FoundFunction[] {
  return [...read.code.matchAll(/(export\s+)?(?:default\s+)?(?:async\s+)?\bfunction\b\s*\*?\s*([\w$]*)/g)].flatMap(
    (match) =>
      withBody(read, {
        name: match[2] || "anonymous",
        start: match.index,
        open: read.code.indexOf("(", match.index + match[0].length),
        isExported: match[1] !== undefined,
      }),
  );
}

function methods(read: Code): readonly FoundFunction[] {
  const pattern = /(?<=[\n{;,}]\s*)(?:(?:async|static|get|set|override|private)\s+|\*\s*)*([\w$#]+)\s*\(/g;
  return [...read.code.matchAll(pattern)]
    .filter((match) => !NOT_METHODS.has(match[1] ?? ""))
    .flatMap((match) =>
      withBody(read, {
        name: match[1] ?? "",
        start: match.index,
        open: match.index + match[0].length - 1,
        isExported: false,
      }),
    );
}

type Header = Pick<FoundFunction, "name" | "start" | "isExported"> & { readonly open: number };

function withBody(read: Code, header: Header): readonly FoundFunction[] {
  const close = read.partners.get(header.open);
  const body = close === undefined ? null : bodyAfter(read, close + 1);
  if (close === undefined || body === null) return [];
  const parameters = splitParameters(read.code.slice(header.open + 1, close));
  return [{ ...header, end: read.partners.get(body) ?? body, parameters }];
}

const BEFORE_TYPE = new Set([":", "|", "&", ",", "<", "?", "=>", "("]);

/** Skips a return type: a brace where a type is still expected opens an object type, any other brace is the body. */
function bodyAfter({ code, partners }: Code, from: number): number | null {
  const first = nextSolid(code, from);
  if (code.charAt(first) === "{") return first;
  if (code.charAt(first) !== ":") return null;
  let before = ":";
  for (let at = nextSolid(code, first + 1); at < code.length; at = nextSolid(code, at + 1)) {
    const char = code.charAt(at);
    if (char === "{" && !BEFORE_TYPE.has(before)) return at;
    // A signature without a body: an overload or a member of an interface.
    if (/[;)}]/.test(char)) return null;
    before = char === ">" && code.charAt(at - 1) === "=" ? "=>" : char;
    const partner = partners.get(at);
    if (partner !== undefined) {
      at = partner;
      before = code.charAt(partner);
    }
  }
  return null;
}

function nextSolid(code: string, from: number): number {
  let at = from;
  while (at < code.length && code.charAt(at).trim() === "") at += 1;
  return at;
}

function arrows(read: Code): readonly FoundFunction[] {
  return [...read.code.matchAll(/=>/g)].map(({ index }) => {
    const parameters = parametersBefore(read, index);
    const lead = read.code.slice(Math.max(0, parameters.from - 200), parameters.from);
    const name = /(export\s+)?const\s+([\w$]+)[^;={}]*=\s*(?:async\s*)?(?:<[^;{}]*>)?\s*$/.exec(lead);
    return {
      name: name?.[2] ?? "arrow function",
      start: parameters.from,
      end: endOfArrow(read, nextSolid(read.code, index + 2)),
      parameters: parameters.list,
      isExported: name?.[1] !== undefined,
    };
  });
}

function parametersBefore({ code, partners }: Code, arrow: number): { from: number; list: readonly string[] } {
  const lead = code.slice(Math.max(0, arrow - 300), arrow);
  const close = /\)(?:\s*:[^;{}()]*)?\s*$/.exec(lead);
  const closeAt = close === null ? -1 : arrow - lead.length + close.index;
  const open = partners.get(closeAt);
  if (open !== undefined) return { from: open, list: splitParameters(code.slice(open + 1, closeAt)) };
  const single = /[\w$]+\s*$/.exec(lead);
  return { from: single === null ? arrow : arrow - single[0].length, list: [single?.[0] ?? ""] };
}

function endOfArrow({ code, partners }: Code, from: number): number {
  if (code.charAt(from) === "{" || code.charAt(from) === "(") return partners.get(from) ?? from;
  let at = from;
  while (at < code.length && !/[;,)\]}]/.test(code.charAt(at))) at = (partners.get(at) ?? at) + 1;
  return at;
}

/** Commas inside brackets or type arguments do not separate parameters. */
function splitParameters(list: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const [index, char] of [...list].entries()) {
    if (/[([{]/.test(char) || (char === "<" && /[\w$]/.test(list.charAt(index - 1)))) depth += 1;
    if (/[)\]}]/.test(char) || (char === ">" && list.charAt(index - 1) !== "=" && depth > 0)) depth -= 1;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
