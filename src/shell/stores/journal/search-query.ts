import { LIMITS } from "#base";
import { setApart, wordsOf } from "./search-words.ts";

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
