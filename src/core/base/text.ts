import { LIMITS } from "./limits.ts";

// The library of ES2024 names this method; the core compiles against ES2023, and every engine Silas runs on has it.
type Utf16Text = { isWellFormed(): boolean };

/** True when a text can be written as UTF-8: it holds no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return (text as string & Utf16Text).isWellFormed();
}

// What may act on a terminal or a page, or hide in it: C0 and C1 controls (a carriage return only where it does not end
// a line), lone surrogates, bidi marks, overrides and isolates, invisible spaces, fillers and deprecated format
// characters, the whole tag block, and variation selectors that do not follow a visible character (in rows they carry
// hidden bytes). U+200C, U+200D and a first variation selector stay behind what is written with them: emoji, keycaps,
// Persian and Indic text and Japanese names. Between Latin letters they only make a second name that looks the same.
const NEVER_JOINED = "\\u0000-\\u007F\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}";
const DANGEROUS = new RegExp(
  [
    "[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]",
    "\\r(?!\\n)",
    "\\p{Cs}",
    "[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F]",
    "[\\u3164\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E00FF}\\u{E01F0}-\\u{E0FFF}]",
    "(?<=^|[\\s\\u200C\\u200D\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}])[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]",
    `(?<=[${NEVER_JOINED}])[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}](?!\\u20E3)`,
    "(?<=^|[\\u200C\\u200D])[\\u200C\\u200D]",
    `(?<=[${NEVER_JOINED}])[\\u200C\\u200D](?=$|[\\u200C\\u200D${NEVER_JOINED}])`,
  ].join("|"),
  "gu",
);

/**
 * Makes a text safe to show: controls become visible symbols, characters that reorder or hide text become U+FFFD.
 * What is stored stays exactly as it was written. Tabs and line breaks are left to the caller (see `oneLine`).
 */
export function neutralise(text: string): string {
  // A card has hundreds of texts, and most are plain: this check is far cheaper than the search below.
  if (PLAIN.test(text)) return text;
  return text.replace(DANGEROUS, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0x1f) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return "\uFFFD";
  });
}

/** Printable ASCII, tabs and line feeds: nothing of it is dangerous, and no letter passes for another. */
const PLAIN = /^[\t\n -~]*$/;

/** JSON that says the same and shows all of it: what acts on a screen or hides there is written as its number. */
export function visibleJson(json: string): string {
  return json.replace(DANGEROUS, (character) =>
    Array.from({ length: character.length }, (_none, at) => escaped(character.charCodeAt(at))).join(""),
  );
}
const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

/** A moment for people, to the minute and with its zone: "2026-12-01 00:00 UTC". Never later than it is. */
export const plainMoment = (instant: string): string => `${instant.slice(0, 16).replace("T", " ")} UTC`;

/** `neutralise` for places with one line, such as titles in lists: line breaks and tabs become spaces. */
export function oneLine(text: string): string {
  return neutralise(text.replace(/[\t\n\r]+/g, " "));
}

/**
 * `neutralise` for names of what is touched, such as paths and words of a command: where letters of two alphabets stand in
 * one word, those that pass for Latin ones are written as their numbers. A name in one alphabet is left as it is.
 */
export function plainName(text: string): string {
  if (PLAIN.test(text)) return text;
  return neutralise(text).replace(/[\p{L}\p{M}\p{N}_]+/gu, (word) =>
    /[A-Za-z]/.test(word) ? word.replace(PASSES_FOR_LATIN, numbered) : word,
  );
}
const PASSES_FOR_LATIN =
  /[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\uFF10-\uFF5A\u{1D400}-\u{1D7FF}]/gu;
const numbered = (letter: string): string => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;

/** A sum with at least two decimals and all that it has: a limit is never shown rounded. */
export function dollars(usd: number): string {
  const [whole, decimals = ""] = String(usd).split(".");
  return `$${whole}.${decimals.padEnd(2, "0")}`;
}

/** Text that goes to a model or comes from one. */

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
