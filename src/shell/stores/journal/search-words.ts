import { LIMITS } from "#base";

/**
 * What search takes for a word. Scripts without spaces between words, and symbols such as emoji, are words of one
 * character each: what somebody types is then found anywhere in a sentence, not only where a separator stands before it.
 *
 * The tokenizer of the index knows no such words. Texts that need it are indexed from a copy with every such character
 * set apart. Characters the tokenizer would skip are written there as a private-use mark and digits, and read back from
 * the snippet.
 */
const SCRIPTS = ["Han", "Hira", "Kana", "Bopo", "Hang", "Thai", "Laoo", "Khmr", "Mymr"];
const inScripts = SCRIPTS.map((script) => String.raw`\p{scx=${script}}`).join("");
const letters = String.raw`[[${inScripts}]&&[\p{L}\p{N}\p{M}]]`;
const symbols = String.raw`[\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}]`;
/** Two regional indicators are one flag. */
const single = String.raw`\p{RI}{2}|${letters}|${symbols}`;
const SINGLES = new RegExp(single, "gv");
const APART = "\u0001";
const CODED = "\uE001";
const CODE_DIGITS = 7;
const CODES = new RegExp(`${CODED}(\\d{${CODE_DIGITS}})|${APART}`, "gv");
/** Marks of the copy and of the snippet: no text can forge them. */
const MARKS = /[\u0001-\u0003\uE001]/gv;
const NEEDING = new RegExp(`${single}|[${APART}${CODED}]`, "v");
const WORDS = new RegExp(String.raw`(${single})|[[\p{L}\p{M}\p{N}\p{Co}_\-]--[${letters}${CODED}]]+`, "gv");

export type Word = { readonly word: string; readonly from: number; readonly to: number };

/** Every word of a text in its order, folded as the index folds it; the places are those in the NFC form of the text. */
export function wordsOf(text: string): readonly Word[] {
  return [...text.normalize("NFC").matchAll(WORDS)]
    .map(({ 0: found, 1: one, index }) => ({ word: one ?? folded(found), from: index, to: index + found.length }))
    .filter(({ word }) => word !== "");
}

const folded = (word: string): string => word.normalize("NFD").replaceAll(/\p{M}/gv, "").toLowerCase();

/** The copy of a text that the index is made from, or null for the many texts that need none. */
export function indexedCopy(text: string): string | null {
  // Most texts hold nothing but ASCII, and that is seen much sooner.
  return /[\u0001\u0080-\uFFFF]/.test(text) && NEEDING.test(text) ? setApart(text) : null;
}

export const withoutMarks = (text: string): string => text.normalize("NFC").replaceAll(MARKS, " ");

/** The same text in the same order, every word of one character with marks around it. */
export function setApart(text: string): string {
  return withoutMarks(text).replaceAll(SINGLES, (found) => APART + tokenOf(found) + APART);
}

/** Letters of the basic plane are tokens as they are; whether others are depends on the tokenizer's Unicode version. */
function tokenOf(found: string): string {
  if (/^[\p{L}\p{N}]$/v.test(found) && found.length === 1) return found;
  return [...found].map((one) => CODED + String(one.codePointAt(0)).padStart(CODE_DIGITS, "0")).join("");
}

/** The text that a copy, or a part of it, was made of. */
export function putTogether(copy: string): string {
  return copy.replaceAll(CODES, (_all, code?: string) =>
    code === undefined ? "" : String.fromCodePoint(Number(code)),
  );
}

/**
 * The terms of what somebody typed. Text never becomes query syntax: each term is quoted, so operators, brackets, stars
 * and quotes are only letters or nothing. Terms without a word have no token in the index and are left out. The joiner
 * is no border: it stands inside of emoji.
 */
export function termsOf(text: string): readonly string[] {
  const terms = text.normalize("NFC").split(/[[\s\p{Cc}\p{Cf}]--\u200D]+/v);
  const indexed = terms.filter((term) => wordsOf(term).length > 0);
  // A word said twice asks nothing more; its last place stays, since the last word is still being typed.
  return indexed.filter((term, index) => !indexed.includes(term, index + 1)).slice(-LIMITS.searchTerms);
}

/** One term as an FTS5 string; the last one also matches as a beginning, since people search while typing. */
export function quoted(terms: readonly string[]): readonly string[] {
  return terms.map(
    (term, index) => `"${setApart(term).replaceAll('"', '""')}"${index === terms.length - 1 ? "*" : ""}`,
  );
}
