import { countBefore } from "./text-spans.ts";

/**
 * Sentences that tell whoever follows a skill to act without the owner's approval. Silas asks whatever a skill says, so
 * such a skill was written to get around the owner, or for another program; either way nobody should install it unread.
 */
const APPROVAL =
  "(?:approvals?|permissions?|confirmations?|consent|authori[sz]ation|sign-?off|go-?ahead|genehmigung|freigabe|zustimmung|bestätigung|erlaubnis)";
const PEOPLE =
  "(?:the |any |an? |your |its |his |her |their |explicit |prior |further |additional |user'?s? |owner'?s? |human |from |of |eine |keine |die |der |um )";
const ASK =
  "(?:ask|asking|request|requesting|seek|seeking|require|requiring|wait|waiting|prompt|prompting|obtain|obtaining|check|need)";

const FORBIDS_ASKING = new RegExp(
  `\\b(?:never|do not|don'?t|does not|doesn'?t|should not|shouldn'?t|must not|mustn'?t|no need to|needn'?t|not necessary to|avoid|stop|refrain from|there is no need to)\\s+(?:(?:ever|even|bother|to|need|have|explicitly|again|please)\\s+){0,3}${ASK}\\s+(?:(?:me|them|him|her|us|the user|the owner|users?|anyone|anybody|people)\\s+)?(?:for\\s+|on\\s+)?${PEOPLE}{0,4}${APPROVAL}\\b`,
  "giu",
);
const GETS_AROUND = new RegExp(
  `\\b(?:skip|skipping|bypass|bypassing|circumvent|evade|disable|disabling|suppress|override|ignore|ignoring|avoid|get around|work around|turn off|umgehe|umgehen|überspringe|überspringen)\\s+${PEOPLE}{0,4}${APPROVAL}\\b(?! (?:errors?|denied|bits?|issues?|problems?|of (?:the )?(?:files?|folders?)))`,
  "giu",
);
const WITHOUT = new RegExp(
  `\\b(?:without|ohne)\\s+(?:(?:first|ever)\\s+)?(?:(?:${ASK}|getting|having|nach|um)\\s+(?:(?:me|the user|the owner|users?|anyone|anybody)\\s*)?(?:for\\s+)?)?${PEOPLE}{0,4}(?:${APPROVAL}\\b|(?<=\\b(?:asking|prompting)\\s+)(?:the user|the owner|me|anyone|anybody|first)\\b)`,
  "giu",
);
const GRANTS_ITSELF =
  /\b(?:auto-?(?:matically )?approve|approve (?:it|this|them|everything|all|every \w+)(?: \w+){0,3} (?:yourself|automatically|on (?:the|your) (?:user|owner|own)\w*)|(?:assume|treat|consider)\s[^.\n]{0,60}\b(?:approved|pre-?approved|permission (?:is|was|has been) (?:given|granted))|(?:already|pre-?)\s?approved\b[^.\n]{0,40}\b(?:do not|don't|never|no need)|dangerously-skip-permissions|frag(?:e)? (?:nie|niemals|nicht)\b[^.\n]{0,40}\b(?:genehmigung|freigabe|erlaubnis|zustimmung|bestätigung))/giu;

/** "Never skip the approval", "do not run it without approval" and "you may not bypass confirmation" tell the opposite. */
const NEGATED =
  /\b(?:never|not|n't|cannot|nothing|nobody|no one|none|no|refuse|refuses|instead of|rather than|nie|niemals|nicht|nichts|kein\w*)\b[^.!?\n]{0,60}$/iu;

type Found = { readonly index: number; readonly about: string };

export function bypassesIn(text: string): readonly Found[] {
  // Emphasis and line breaks inside a sentence change nothing of what it says, and each stays one character.
  const plain = text
    .replaceAll(/[*_`]/g, " ")
    .replaceAll(/(?<=\S) ?\n(?=[a-z])/g, (found) => found.replaceAll("\n", " "));
  const { text: read, indexOf } = withShortRuns(plain.replaceAll("’", "'"));
  const found = (pattern: RegExp): readonly Found[] =>
    [...read.matchAll(squeezed(pattern))].map(({ 0: about, index }) => ({ index, about: about.trim() }));
  const isMeant = ({ index }: Found): boolean => !NEGATED.test(read.slice(Math.max(0, index - 80), index));
  return [
    ...found(FORBIDS_ASKING),
    ...found(GRANTS_ITSELF).filter(isMeant),
    ...[...found(GETS_AROUND), ...found(WITHOUT)].filter(isMeant),
  ].map(({ index, about }) => ({ index: indexOf(index), about }));
}

/** More than any pattern counts, so that a longer run means the same. */
const RUN_CHARS = 5;

/** The text with long runs of white space cut short: the patterns would go over a long one again from each of its places. */
function withShortRuns(text: string): { readonly text: string; readonly indexOf: (index: number) => number } {
  const cuts: number[] = [];
  const removed = [0];
  const short = text.replaceAll(/\s{6,}/g, (run, at: number) => {
    const before = removed.at(-1) ?? 0;
    cuts.push(at - before + RUN_CHARS);
    removed.push(before + run.length - RUN_CHARS);
    return run.includes("\n") ? "\n".padEnd(RUN_CHARS) : " ".repeat(RUN_CHARS);
  });
  return { text: short, indexOf: (index) => index + (removed[countBefore(cuts, index + 1)] ?? 0) };
}

/** One space of a pattern stands for any few. */
const squeezed = (pattern: RegExp): RegExp => new RegExp(pattern.source.replaceAll(" ", "\\s{1,4}"), pattern.flags);
