/** Source as far as counting needs it: comments and strings blanked, brackets paired, named functions with their bodies. */

/** Text by path; paths are relative to the root. */
export type Sources = ReadonlyMap<string, string>;

export type NamedFunction = { readonly name: string; readonly start: number; readonly end: number };

const NOT_CODE = /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** The same length as the source, so that a place in one is the same place in the other. */
export const blanked = (source: string): string => source.replace(NOT_CODE, (text) => text.replace(/[^\n]/g, " "));

export const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** Where the bracket that opens here is closed; the end of the text when it is not. */
export function closingOf(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    const char = code.charAt(at);
    if ("([{".includes(char)) depth += 1;
    if (")]}".includes(char)) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

const DECLARED = /\bfunction\s+([\w$]+)\s*(?:<[^(]*>)?\(/g;
const ASSIGNED = /\bconst\s+([\w$]+)\s*(?::[^=;]+)?=\s*(?:async\s*)?(?=[(\w$][^;=]*=>)/g;
const METHOD = /(?<=[{,;]\s*)(?:async\s+)?([\w$]+)\s*\((?=[^)]*\)[^;,{]*\{)/g;
const NOT_METHODS = new Set(["if", "for", "while", "switch", "catch", "function"]);

export function functionsIn(code: string): readonly NamedFunction[] {
  const declared = [...code.matchAll(DECLARED)].map((match) => withBlock(code, match));
  const methods = [...code.matchAll(METHOD)]
    .filter((match) => !NOT_METHODS.has(match[1] ?? ""))
    .map((match) => withBlock(code, match));
  const assigned = [...code.matchAll(ASSIGNED)].map((match) => {
    const body = code.indexOf("=>", match.index) + 2;
    return { name: match[1] ?? "", start: match.index, end: endOfExpression(code, body) };
  });
  return [...declared, ...methods, ...assigned];
}

function withBlock(code: string, match: RegExpExecArray): NamedFunction {
  const parameters = closingOf(code, match.index + match[0].length - 1);
  const open = code.indexOf("{", parameters);
  return { name: match[1] ?? "", start: match.index, end: open < 0 ? code.length : closingOf(code, open) };
}

function endOfExpression(code: string, from: number): number {
  for (let at = from; at < code.length; at += 1) {
    const char = code.charAt(at);
    if (";,)]}".includes(char)) return at;
    if ("([{".includes(char)) at = closingOf(code, at);
  }
  return code.length;
}

export const identifiersIn = (code: string): ReadonlySet<string> => new Set(code.match(/[A-Za-z_$][\w$]*/g) ?? []);
