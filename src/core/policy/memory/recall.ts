import type { MemoryItem } from "#model";

/** Words that stand in nearly every sentence, and so say nothing about which memory is meant. */
const EVERYWHERE = new Set(
  (
    "a about all am an and any are as at be been but by can could did do does for from get give had has have he her him his " +
    "how i if in into is it its just let me more my no not of on or our please she should so some tell than that the their " +
    "them then there these they this to up us was we were what when where which who will with would you your"
  ).split(" "),
);

/** What of a message memories are looked for by; empty when nothing in it tells one from another. */
export const recallText = (text: string): string =>
  text
    .split(/\s+/u)
    .filter((word) => !EVERYWHERE.has(word.toLowerCase().replace(/[^\p{L}\p{N}_-]/gu, "")))
    .join(" ");

/**
 * Which of the memories that were found are shown to a model, best first. Standing rules stand in its system text already,
 * and a preference that the owner has not verified has no say. [PREF-06]
 */
export const chooseRecalled = (found: readonly MemoryItem[], countMax: number): readonly MemoryItem[] =>
  found
    .filter(({ trustLevel, memoryType }) =>
      memoryType === "preference" ? trustLevel === "verified" : trustLevel !== "constitutional",
    )
    .slice(0, countMax);
