import type { JournalQuery, JournalRecord, SearchHit } from "#model";
import { searchableOf } from "./record-words.ts";
import { hitOf, HITS_DEFAULT } from "./search.ts";
import { termsOf, withoutMarks, wordsOf, type Word } from "./search-words.ts";

/** The words of one term, which stand one after the other in a text. */
type Term = { readonly words: readonly string[]; readonly isLast: boolean };

/**
 * What search promises, without an index: every term of the query stands in the record, its words one after the other,
 * the very last one at least as the beginning of a word; matches in a title before others. Word stems and finer ranking
 * are the real store's own.
 */
export function searchNaively(
  records: readonly JournalRecord[],
  query: Extract<JournalQuery, { kind: "search" }>,
): readonly SearchHit[] {
  const terms = termsOf(query.text).map((term, index, all): Term => ({
    words: wordsOf(term).map(({ word }) => word),
    isLast: index === all.length - 1,
  }));
  if (terms.length === 0) return [];
  const found = records.filter(
    (record) =>
      record.deletedAt === null &&
      (query.kinds === undefined || query.kinds.includes(record.kind)) &&
      holdsAll(Object.values(searchableOf(record)), terms),
  );
  const inTitle = (record: JournalRecord): number => (holdsAll([searchableOf(record).title], terms) ? 0 : 1);
  const find = (id: string): JournalRecord | null => records.find((record) => record.id === id) ?? null;
  return found
    .toReversed()
    .toSorted((a, b) => inTitle(a) - inTitle(b))
    .slice(0, query.limit ?? HITS_DEFAULT)
    .map((record) => hitOf({ record, snippet: snippetOf(record, terms), find }));
}

function holdsAll(texts: readonly string[], terms: readonly Term[]): boolean {
  const wordsByText = texts.map(wordsOf);
  return terms.every((term) => wordsByText.some((words) => placesOf(words, term).length > 0));
}

/** Where a term begins among the words of a text. */
function placesOf(words: readonly Word[], term: Term): readonly number[] {
  const isThere = (start: number): boolean =>
    term.words.every((wanted, offset) => {
      const word = words[start + offset]?.word;
      if (word === undefined) return false;
      return term.isLast && offset === term.words.length - 1 ? word.startsWith(wanted) : word === wanted;
    });
  return [...words.keys()].filter(isThere);
}

/** The whole text with each place of a term marked; places that touch are marked as one. */
function snippetOf(record: JournalRecord, terms: readonly Term[]): string {
  const { title, text } = searchableOf(record);
  for (const one of [title, text]) {
    const words = wordsOf(one);
    const places = terms.flatMap((term) => placesOf(words, term).map((start) => ({ start, term })));
    if (places.length === 0) continue;
    const marked = new Set(places.flatMap(({ start, term }) => term.words.map((_, offset) => start + offset)));
    return markWords(withoutMarks(one), { words, marked });
  }
  return "";
}

type Marking = { readonly words: readonly Word[]; readonly marked: ReadonlySet<number> };

function markWords(text: string, { words, marked }: Marking): string {
  let result = "";
  let done = 0;
  for (const [index, { from, to }] of words.entries()) {
    if (!marked.has(index)) continue;
    const opens = !marked.has(index - 1) || done < from;
    result += text.slice(done, from) + (opens ? "\u0002" : "") + text.slice(from, to);
    done = to;
    if (!marked.has(index + 1) || words[index + 1]?.from !== to) result += "\u0003";
  }
  return result + text.slice(done);
}
