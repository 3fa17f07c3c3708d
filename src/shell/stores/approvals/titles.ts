import type { Sqlite } from "../sqlite.ts";

/**
 * A plan says its title in the text that is signed; what is no plan has the first line of its card. INVARIANT: an id that
 * was used under two titles has none, or a later proposal could rename what was approved before it.
 */
export const TITLES_SQL = `
  SELECT work_item_id AS id, min(title) AS title FROM (
    SELECT work_item_id, coalesce(json_extract(projection, '$.title'), json_extract(card, '$.intent')) AS title
    FROM pending_decisions INDEXED BY pending_decisions_by_work_item
    WHERE work_item_id IN (SELECT value FROM json_each(:ids))
  ) GROUP BY id HAVING count(DISTINCT title) = 1`;

/** All of them in one read. */
export function readTitles(db: Pick<Sqlite, "all">, ids: readonly string[]): ReadonlyMap<string, string> {
  const rows = db.all<{ readonly id: string; readonly title: string }>(TITLES_SQL, { ids: JSON.stringify(ids) });
  return new Map(rows.map(({ id, title }) => [id, title]));
}
