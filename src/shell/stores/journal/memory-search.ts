import type { JournalQuery, JournalRecord, SearchHit } from "#model";
import { hitOf, HITS_DEFAULT } from "./search.ts";
import { termsOf } from "./search-query.ts";

/**
 * What search promises, without an index: every word of the query is a word of the record, the last one at least the
 * beginning of one; matches in a title before others. Word stems and finer ranking are the real store's own.
 */
export function searchNaively(
  records: readonly JournalRecord[],
  query: Extract<JournalQuery, { kind: "search" }>,
): readonly SearchHit[] {
  const terms = termsOf(query.text).flatMap((term) => wordsOf(term));
  if (terms.length === 0) return [];
  const found = records.filter(
    (record) =>
      record.deletedAt === null &&
      (query.kinds === undefined || query.kinds.includes(record.kind)) &&
      holdsAll([...wordsOf(searchTitle(record)), ...wordsOf(searchText(record))], terms),
  );
  const inTitle = (record: JournalRecord): number => (holdsAll(wordsOf(searchTitle(record)), terms) ? 0 : 1);
  const find = (id: string): JournalRecord | null => records.find((record) => record.id === id) ?? null;
  return found
    .toReversed()
    .toSorted((a, b) => inTitle(a) - inTitle(b))
    .slice(0, query.limit ?? HITS_DEFAULT)
    .map((record) => hitOf({ record, snippet: snippetOf(record, terms), find }));
}

function holdsAll(words: readonly string[], terms: readonly string[]): boolean {
  return terms.every((term, index) =>
    words.some((word) => (index === terms.length - 1 ? word.startsWith(term) : word === term)),
  );
}

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{Co}_-]+/u)
    .filter((word) => word !== "");

function searchTitle({ body }: JournalRecord): string {
  if ("title" in body) return body.title;
  return "name" in body ? body.name : "";
}

function searchText({ body }: JournalRecord): string {
  if ("notes" in body) return body.notes;
  if ("text" in body) return body.text;
  if ("description" in body) return body.description;
  return "note" in body ? body.note : "";
}

function snippetOf(record: JournalRecord, terms: readonly string[]): string {
  const text = [searchTitle(record), searchText(record)].find((one) => wordsOf(one).some((word) => isHit(word, terms)));
  return (text ?? "").replaceAll(/[\u0002\u0003]/g, " ").replaceAll(/[\p{L}\p{M}\p{N}\p{Co}_-]+/gu, (word) => {
    return wordsOf(word).some((part) => isHit(part, terms)) ? `\u0002${word}\u0003` : word;
  });
}

const isHit = (word: string, terms: readonly string[]): boolean => terms.some((term) => word.startsWith(term));
