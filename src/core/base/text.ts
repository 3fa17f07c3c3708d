/** True when a text can be written as UTF-8: it holds no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

// C0 and C1 controls, bidi overrides and isolates, zero-width and tag characters: none may act on a terminal or a page.
const DANGEROUS =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]|\u{E0000}|[\u{E0020}-\u{E007F}]/gu;

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
