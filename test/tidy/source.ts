/**
 * Just enough of a TypeScript reader for the tidy checks: it knows comments, strings, templates and regular
 * expressions, so that the checks never mistake a word in a sentence for code.
 */
type Source = {
  /** Comments, string contents and regular expressions replaced by spaces; positions stay the same. */
  readonly code: string;
  /** Only comments replaced. */
  readonly text: string;
};

type ImportedName = { readonly specifier: string; readonly index: number };

const cache = new Map<string, Source>();

export function readSource(source: string): Source {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const read = blankOut(source);
  cache.set(source, read);
  return read;
}

type Cut = { readonly from: number; readonly to: number; readonly kind: "comment" | "literal" };

function blankOut(source: string): Source {
  const cuts = cutsOf(source);
  return {
    code: applyCuts(source, cuts),
    text: applyCuts(
      source,
      cuts.filter(({ kind }) => kind === "comment"),
    ),
  };
}

function applyCuts(source: string, cuts: readonly Cut[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to } of cuts) {
    parts.push(source.slice(at, from), source.slice(from, to).replace(/[^\n]/g, " "));
    at = to;
  }
  return parts.join("") + source.slice(at);
}

function cutsOf(source: string): readonly Cut[] {
  const cuts: Cut[] = [];
  const templateDepths: number[] = [];
  let depth = 0;
  let at = 0;
  let before = "";
  const takeLiteral = (from: number, to: number): void => {
    if (to > from) cuts.push({ from, to, kind: "literal" });
  };
  const takeTemplate = (from: number): void => {
    const end = endOfTemplate(source, from);
    takeLiteral(from, end);
    const opens = source.startsWith("${", end);
    if (opens) templateDepths.push(depth);
    at = opens ? end + 2 : end + 1;
    before = opens ? "{" : "`";
  };
  while (at < source.length) {
    const char = source.charAt(at);
    if (source.startsWith("//", at) || source.startsWith("/*", at)) {
      const end = endOfComment(source, at);
      cuts.push({ from: at, to: end, kind: "comment" });
      at = end;
    } else if (char === "`") {
      takeTemplate(at + 1);
    } else if (char === "}" && templateDepths.at(-1) === depth) {
      templateDepths.pop();
      takeTemplate(at + 1);
    } else {
      const end = char === "/" && !mayStartRegex(source, at, before) ? at : endOfLiteral(source, at);
      if (end > at) takeLiteral(at + 1, end - 1);
      if (char === "{") depth += 1;
      if (char === "}") depth -= 1;
      if (char.trim() !== "") before = wordEndingAt(source, at);
      at = Math.max(end, at + 1);
    }
  }
  return cuts;
}

function endOfComment(source: string, at: number): number {
  const isLine = source.startsWith("//", at);
  const end = source.indexOf(isLine ? "\n" : "*/", at + 2);
  if (end < 0) return source.length;
  return isLine ? end : end + 2;
}

function endOfTemplate(source: string, from: number): number {
  let at = from;
  while (at < source.length && source.charAt(at) !== "`" && !source.startsWith("${", at)) {
    at += source.charAt(at) === "\\" ? 2 : 1;
  }
  return at;
}

const LITERALS: Readonly<Record<string, RegExp>> = {
  '"': /"(?:[^"\\\n]|\\[^])*"/y,
  "'": /'(?:[^'\\\n]|\\[^])*'/y,
  "/": /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
};

/** Position after the string or regular expression starting here, or `at` when none does (an apostrophe in JSX text). */
function endOfLiteral(source: string, at: number): number {
  const pattern = LITERALS[source.charAt(at)];
  if (pattern === undefined) return at;
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}

function mayStartRegex(source: string, at: number, before: string): boolean {
  if (source.charAt(at + 1) === ">") return false;
  return before === "" || /^(?:[=(,;:!&|?{[+*%~^>-]|return|typeof|case|of|in)$/.test(before);
}

function wordEndingAt(source: string, at: number): string {
  if (!/[\w$]/.test(source.charAt(at))) return source.charAt(at);
  let start = at;
  while (start > 0 && at - start < 12 && /[\w$]/.test(source.charAt(start - 1))) start -= 1;
  return source.slice(start, at + 1);
}

const IMPORTS = [
  /\b(?:import|export)\b[^;"'`()]*?\bfrom\s*["']([^"'\n]+)["']/g,
  /\bimport\s*["']([^"'\n]+)["']/g,
  /\bimport\s*\(\s*["']([^"'\n]+)["']/g,
];

export function importsOf(source: string): readonly ImportedName[] {
  const { code, text } = readSource(source);
  return IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(({ index }) => /[ie]/.test(code.charAt(index)))
    .map((match) => ({ specifier: match[1] ?? "", index: match.index }));
}

/** Position of the partner of every bracket in blanked code. */
export function partnersOf(code: string): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  const open: number[] = [];
  for (const { index, 0: bracket } of code.matchAll(/[()[\]{}]/g)) {
    const opening = { ")": "(", "]": "[", "}": "{" }[bracket];
    if (opening === undefined) {
      open.push(index);
      continue;
    }
    const last = open.at(-1);
    if (last === undefined || code.charAt(last) !== opening) continue;
    open.pop();
    partners.set(last, index).set(index, last);
  }
  return partners;
}
