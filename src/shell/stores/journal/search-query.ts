import { LIMITS } from "#base";

/**
 * The terms of what somebody typed. Text never becomes query syntax: each word is quoted, so operators, brackets, stars
 * and quotes are only letters or nothing. Words without a letter or digit have no token in the index and are left out.
 */
export function termsOf(text: string): readonly string[] {
  const words = text.normalize("NFC").split(/[\s\p{Cc}\p{Cf}]+/u);
  const indexed = words.filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word));
  // A word said twice asks nothing more; its last place stays, since the last word is still being typed.
  return indexed.filter((word, index) => !indexed.includes(word, index + 1)).slice(-LIMITS.searchTerms);
}

/** One term as an FTS5 string; the last one also matches as a beginning, since people search while typing. */
export function quoted(terms: readonly string[]): readonly string[] {
  return terms.map((term, index) => `"${term.replaceAll('"', '""')}"${index === terms.length - 1 ? "*" : ""}`);
}
