// The library of ES2024 names this method; the core compiles against ES2023, and every engine Silas runs on has it.
type Utf16Text = { isWellFormed(): boolean };

/** True when a text can be written as UTF-8: it holds no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return (text as string & Utf16Text).isWellFormed();
}

// What may act on a terminal or a page, or hide in it: C0 and C1 controls (a carriage return only where it does not end
// a line), lone surrogates, bidi marks, overrides and isolates, invisible spaces, fillers and deprecated format
// characters, the whole tag block, and variation selectors that do not follow a visible character (in rows they carry
// hidden bytes). U+200C, U+200D and a first variation selector stay: emoji, Persian and Indic text and Japanese names
// are written with them.
const DANGEROUS = new RegExp(
  [
    "[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]",
    "\\r(?!\\n)",
    "\\p{Cs}",
    "[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F]",
    "[\\u3164\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E00FF}\\u{E01F0}-\\u{E0FFF}]",
    "(?<=^|[\\s\\u200C\\u200D\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}])[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]",
  ].join("|"),
  "gu",
);

/**
 * Makes a text safe to show: controls become visible symbols, characters that reorder or hide text become U+FFFD.
 * What is stored stays exactly as it was written. Tabs and line breaks are left to the caller (see `oneLine`).
 */
export function neutralise(text: string): string {
  return text.replace(DANGEROUS, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return "\uFFFD";
  });
}

/** `neutralise` for places with one line, such as titles in lists: line breaks and tabs become spaces. */
export function oneLine(text: string): string {
  return neutralise(text.replace(/[\t\n\r]+/g, " "));
}

/** A sum with at least two decimals and all that it has: a limit is never shown rounded. */
export function dollars(usd: number): string {
  const [whole, decimals = ""] = String(usd).split(".");
  return `$${whole}.${decimals.padEnd(2, "0")}`;
}
