import { err, isWellFormed, LIMITS, ok, type Result } from "#base";
import { problemAt, type FormRefusalCode, type PlanProblem } from "./problems.ts";

/** A plan file in its two parts. The front matter begins in the second line of the file. */
export type PlanForm = {
  readonly frontMatter: string;
  /** Everything after the line that ends the front matter, unchanged. */
  readonly body: string;
  readonly bodyLine: number;
};

export const FRONT_MATTER_LINE = 2;

/** Takes a plan file apart at its two `---` lines. */
export function splitPlan(markdown: string): Result<PlanForm, PlanProblem> {
  const wrong = wrongCharacter(markdown);
  if (wrong !== null) return err(problemAt(placeOf(markdown, wrong.at), { code: wrong.code }));
  const opening = /^---\r?\n/.exec(markdown)?.[0];
  if (opening === undefined) return err(problemAt(START, { code: "front_matter_missing" }));
  const end = closingLine(markdown, opening.length);
  if (end === null) return err(problemAt(START, { code: "front_matter_unterminated" }));
  const frontMatter = markdown.slice(opening.length, end.at);
  if (frontMatter.length > LIMITS.planFrontMatterChars) {
    return err(problemAt({ line: FRONT_MATTER_LINE, column: 1 }, { code: "front_matter_too_large" }));
  }
  return ok({ frontMatter, body: markdown.slice(end.after), bodyLine: placeOf(markdown, end.after).line });
}

/** The next line that is exactly `---`. Only a line feed ends a line here, as it does for the YAML reader. */
function closingLine(markdown: string, from: number): { readonly at: number; readonly after: number } | null {
  for (let at = from; ;) {
    const next = markdown.indexOf("\n", at);
    const line = markdown.slice(at, next === -1 ? markdown.length : next);
    if (line === "---" || line === "---\r") return { at, after: next === -1 ? markdown.length : next + 1 };
    if (next === -1) return null;
    at = next + 1;
  }
}

const START = { line: 1, column: 1 };

function wrongCharacter(markdown: string): { readonly code: FormRefusalCode; readonly at: number } | null {
  if (markdown.length > LIMITS.planBytes) return { code: "plan_too_large", at: 0 };
  if (markdown.startsWith("\uFEFF")) return { code: "byte_order_mark", at: 0 };
  const nul = markdown.indexOf("\0");
  if (nul !== -1) return { code: "nul_character", at: nul };
  return isWellFormed(markdown) ? null : { code: "lone_surrogate", at: markdown.search(/\p{Cs}/u) };
}

export function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let found = before.indexOf("\n"); found !== -1; found = before.indexOf("\n", found + 1)) line += 1;
  return { line, column: at - lineStart + 1 };
}

export type Heading = { readonly text: string; readonly line: number };

/** Headings of the briefing, outside of fenced examples. */
export function headingsOf({ body, bodyLine }: PlanForm): readonly Heading[] {
  const headings: Heading[] = [];
  let fence: string | null = null;
  body.split("\n").forEach((line, index) => {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? null;
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    const text = fence === null ? /^#{1,6} +(\S.*)$/.exec(line)?.[1] : undefined;
    if (text !== undefined) headings.push({ text: text.trim(), line: bodyLine + index });
  });
  return headings;
}
