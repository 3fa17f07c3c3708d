/** Text that goes to a model or comes from one. */
import { LIMITS } from "./limits.ts";

/** Rather too many than too few: nobody is asked how a text is counted. */
export const estimateTokens = (chars: number): number => Math.ceil(chars / LIMITS.tokenChars);

type Block = { readonly tag: string; readonly content: string };

/** INVARIANT: no content ends its block or begins another: a line of it that looks like an edge is set in. [CTX-17] */
export function renderBlock({ tag, content }: Block): string {
  const safe = content.replace(OTHER_BREAKS, " ").replace(/^(\s*)---/gmu, "$1\\---");
  return `--- ${tag.replace(OTHER_BREAKS, " ").replace(/[\r\n]+/gu, " ")} ---\n${safe}\n--- end ---`;
}
/** What some readers take for the end of a line. */
const OTHER_BREAKS = /[\u2028\u2029\u0085\u000b\u000c]/gu;

/** Many models put a fence around JSON, whatever they are told. */
export function bareJson(text: string): string {
  const [, fenced] = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/u.exec(text) ?? [];
  return (fenced ?? text).trim();
}
