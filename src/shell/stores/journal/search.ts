import type { AnswerOf, JournalQuery, JournalRecord, RecordId, SearchHit } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { momentOf, openingOf, titleOf } from "./record-words.ts";
import { loadRecord, RECORD_COLUMNS, recordOfRow, type RecordRow } from "./rows.ts";
import { quoted, termsOf, putTogether } from "./search-words.ts";

type SearchQuery = Extract<JournalQuery, { kind: "search" }>;

export const HITS_DEFAULT = 50;
/** The newest matches that are ranked. A word in every record would otherwise cost a look at every record. */
const CANDIDATES_MAX = 1000;
/** A term in more records than this says nothing about which of them is meant, and weighing it costs a scan. */
const TELLING_MAX = 2000;
const COLUMNS = "{search_title search_text}";

/** Records that hold every term, best first: a match in the title weighs ten times one in the text, then the newest. */
export function answerSearch(db: Sqlite, query: SearchQuery): AnswerOf<SearchQuery> {
  const startedMs = performance.now();
  const terms = quoted(termsOf(query.text));
  const hits = terms.length === 0 || query.kinds?.length === 0 ? [] : findHits(db, { query, terms });
  return { hits, tookMs: performance.now() - startedMs };
}

type Search = { readonly query: SearchQuery; readonly terms: readonly string[] };

function findHits(db: Sqlite, { query, terms }: Search): readonly SearchHit[] {
  const all = `${COLUMNS} : (${terms.join(" AND ")})`;
  // Kinds are our own words from a closed list, indexed beside the text: a rare kind is found without a scan.
  const kinds = query.kinds?.map((kind) => `"${kind}"`).join(" OR ");
  const match = kinds === undefined ? all : `(${all}) AND search_kind : (${kinds})`;
  const candidates = newest(db, match);
  const oldest = candidates.at(-1);
  if (oldest === undefined) return [];
  const ranks = rank(db, { terms, oldest, telling: tellingTerms(db, { terms, found: candidates.length }) });
  const best = candidates
    .toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0) || b - a)
    .slice(0, query.limit ?? HITS_DEFAULT);
  return loadHits(db, { match, best });
}

function newest(db: Sqlite, match: string): readonly number[] {
  const rows = db.all<{ rowid: number }>(
    "SELECT rowid FROM search WHERE search MATCH :match ORDER BY rowid DESC LIMIT :limit",
    { match, limit: CANDIDATES_MAX },
  );
  return rows.map((row) => row.rowid);
}

/** Lower is better. Only telling terms are weighed; when there is none, a match in the title counts. */
function rank(
  db: Sqlite,
  search: { readonly terms: readonly string[]; readonly telling: readonly string[]; readonly oldest: number },
): ReadonlyMap<number, number> {
  const { telling } = search;
  if (telling.length === 0) {
    const inTitle = newest(db, `search_title : (${search.terms.join(" AND ")})`);
    return new Map(inTitle.map((rowid) => [rowid, -1]));
  }
  const rows = db.all<{ rowid: number; rank: number }>(
    `SELECT rowid, bm25(search, 0.0, 10.0, 1.0) AS rank FROM search
     WHERE search MATCH :match AND rowid >= :oldest`,
    { match: `${COLUMNS} : (${telling.join(" AND ")})`, oldest: search.oldest },
  );
  return new Map(rows.map((row) => [row.rowid, row.rank]));
}

/** A lone term needs no count of its own: the candidates are its matches. */
function tellingTerms(
  db: Sqlite,
  { terms, found }: { readonly terms: readonly string[]; readonly found: number },
): readonly string[] {
  if (terms.length === 1) return found < CANDIDATES_MAX ? terms : [];
  return terms.filter((term) => isTelling(db, term));
}

function isTelling(db: Sqlite, term: string): boolean {
  const row = db.get<{ count: number }>(
    "SELECT count(*) AS count FROM (SELECT 1 FROM search WHERE search MATCH :match LIMIT :limit)",
    { match: `${COLUMNS} : ${term}`, limit: TELLING_MAX + 1 },
  );
  return (row?.count ?? 0) <= TELLING_MAX;
}

type HitRow = RecordRow & { readonly seq: number; readonly snippet: string };

/**
 * The chosen rows in one pass over the candidates. A look-up per row would open the index once for each, and opening a
 * beginning of a word means merging every word that begins so.
 */
function loadHits(
  db: Sqlite,
  { match, best }: { readonly match: string; readonly best: readonly number[] },
): readonly SearchHit[] {
  const rows = db.all<HitRow>(
    `SELECT records.seq, snippet(search, -1, char(2), char(3), '…', 16) AS snippet, ${RECORD_COLUMNS}
     FROM search CROSS JOIN records ON records.seq = search.rowid
     WHERE search MATCH :match AND search.rowid BETWEEN :low AND :high
       AND +search.rowid IN (SELECT value FROM json_each(:best))`,
    { match, low: Math.min(...best), high: Math.max(...best), best: JSON.stringify(best) },
  );
  const rowsBySeq = new Map(rows.map((row) => [row.seq, row]));
  const find = (id: RecordId): JournalRecord | null => loadRecord(db, id);
  return best.flatMap((seq) => {
    const row = rowsBySeq.get(seq);
    return row === undefined ? [] : [hitOf({ record: recordOfRow(row), snippet: putTogether(row.snippet), find })];
  });
}

export function hitOf({ record, snippet, find }: HitParts): SearchHit {
  const opening = openingOf(record, find);
  return {
    id: record.id,
    kind: record.kind,
    openId: opening.id,
    openKind: opening.kind,
    title: titleOf(record),
    snippet,
    at: momentOf(record),
  };
}

type HitParts = {
  readonly record: JournalRecord;
  readonly snippet: string;
  readonly find: (id: RecordId) => JournalRecord | null;
};
