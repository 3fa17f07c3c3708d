import { LIMITS } from "#base";
import type { FoundRecord, JournalQuery, JournalRecord } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { titleOf } from "./record-words.ts";
import { selectRecords } from "./rows.ts";

type FindQuery = Extract<JournalQuery, { kind: "find" }>;

/** Records whose id begins or ends with a text; deleted ones only where no other fits. */
export function answerFind(db: Sqlite, query: FindQuery): readonly FoundRecord[] {
  const alive = fitting(db, { query, state: "deleted_at IS NULL" });
  const found = alive.length > 0 ? alive : fitting(db, { query, state: "deleted_at IS NOT NULL" });
  return firstFound(found, query.idPart);
}

/** The whole id first, because nothing else can be meant by it; then in the order of the ids. */
export function firstFound(records: readonly JournalRecord[], idPart: string): readonly FoundRecord[] {
  const keyOf = ({ id }: JournalRecord): string => (id === idPart ? "" : id);
  return records
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .slice(0, LIMITS.foundRows)
    .map((record) => ({
      id: record.id,
      kind: record.kind,
      title: titleOf(record),
      deleted: record.deletedAt !== null,
    }));
}

/** As many characters from the end of an id as the column `id_end` holds, the last one first. */
const INDEXED_CHARS = 12;
/** Sorts behind every character of an id. */
const BEHIND = "~";

/** Each half walks an index and stops when it has enough; the first of both are among the first of each. */
function fitting(
  db: Sqlite,
  { query, state }: { readonly query: FindQuery; readonly state: string },
): readonly JournalRecord[] {
  const { idPart, kinds } = query;
  const wanted = `${state} AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))`;
  const end = Array.from(idPart.slice(-INDEXED_CHARS)).toReversed().join("");
  return selectRecords(db, {
    where: `seq IN (
       SELECT seq FROM (SELECT seq FROM records WHERE id >= :part AND id < :part_behind AND ${wanted}
         ORDER BY id LIMIT :limit)
       UNION
       SELECT seq FROM (SELECT seq FROM records WHERE id_end >= :end AND id_end < :end_behind
         AND substr(id, -length(:part)) = :part AND ${wanted} ORDER BY +id LIMIT :limit))`,
    params: {
      part: idPart,
      part_behind: idPart + BEHIND,
      end,
      end_behind: end + BEHIND,
      kinds: kinds === undefined ? null : JSON.stringify(kinds),
      limit: LIMITS.foundRows,
    },
  });
}
