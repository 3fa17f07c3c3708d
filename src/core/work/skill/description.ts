import { LIMITS, neutralise } from "#base";
import { SKILL_DOCUMENT } from "#model";
import type { Find } from "./read-document.ts";

export type DescriptionBounds = {
  readonly minChars: number;
  readonly maxChars: number;
  readonly refuseProcess: boolean;
};

type Rule = { readonly pattern: RegExp; readonly times: number };

/**
 * How something is done, in the forms in which people write it. One "then" is a sentence; two are a procedure. A list of uses, as in
 * "(1) reading, (2) editing", is none. [INST-03]
 */
const PROCESS: readonly Rule[] = [
  { pattern: /(?:^|\s)\d{1,2}[.)]\s/g, times: 2 },
  { pattern: /\bstep\s+(?:\d|one|two|three)\b/gi, times: 1 },
  { pattern: /(?:\b(?:then|next|afterwards|after that|finally|lastly)\b)/gi, times: 2 },
  { pattern: /\bfirst(?:ly)?,/gi, times: 1 },
  { pattern: /```|`[^`]*\s[^`]*`|\$\(|&&|\s\|\s/g, times: 1 },
  { pattern: /\b(?:run|execute|call|invoke)\s+(?:the\s+)?(?:scripts?\/|[\w./-]+\.(?:py|mjs|sh|js))/gi, times: 1 },
];

/** Wants to be chosen whatever is asked, or to be obeyed: that is no description. */
const HIJACK: readonly Rule[] = [
  {
    pattern:
      /\b(?:always|must)\s+(?:be\s+)?(?:use|used|choose|chosen|pick|picked|select|selected|activate|activated|load|loaded)\b/gi,
    times: 1,
  },
  {
    pattern: /\bfor\s+(?:every|any|all)\s+(?:user\s+)?(?:requests?|messages?|tasks?|questions?|prompts?)\b/gi,
    times: 1,
  },
  { pattern: /\b(?:instead\s+of|before|over)\s+(?:any|every|all)\s+other\b/gi, times: 1 },
  {
    pattern: /\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:previous|prior|above|other|earlier|all)\b/gi,
    times: 1,
  },
];

/** The same text always gives the same answer: no model is asked. */
export function checkDescription(
  description: string,
  { bounds, find }: { readonly bounds: DescriptionBounds; readonly find: Find },
): void {
  if (description === "") return;
  const path = SKILL_DOCUMENT;
  const maxChars = Math.min(bounds.maxChars, LIMITS.skillDescriptionChars);
  const length = [...description].length;
  if (length < bounds.minChars) find.problem("description_short", { path, about: `${bounds.minChars} characters` });
  if (description.length > maxChars) find.problem("description_long", { path, about: `${maxChars} characters` });
  if (neutralise(description) !== description) find.problem("hidden_characters", { path, about: "(the description)" });
  const hijack = foundBy(HIJACK, description);
  if (hijack !== null) find.problem("description_hijacks", { path, about: hijack });
  const process = bounds.refuseProcess ? foundBy(PROCESS, description) : null;
  if (process !== null) find.problem("description_process", { path, about: process });
}

function foundBy(rules: readonly Rule[], text: string): string | null {
  for (const { pattern, times } of rules) {
    const found = text.match(pattern) ?? [];
    if (found.length >= times) return `"${neutralise((found[0] ?? "").trim()).slice(0, 60)}"`;
  }
  return null;
}
