import type { Sqlite } from "../sqlite.ts";

/**
 * A plan says its title in the text that is signed; what is no plan has the first line of its card. INVARIANT: an id that
 * was used under two titles has none, or a later proposal could rename what was approved before it.
 */
const TITLES_SQL = `
  SELECT work_item_id AS id, min(title) AS title FROM (
    SELECT work_item_id, coalesce(json_extract(projection, '$.title'), json_extract(card, '$.intent')) AS title
    FROM pending_decisions INDEXED BY pending_decisions_by_work_item
    WHERE work_item_id IN (SELECT value FROM json_each(:ids))
  ) GROUP BY id HAVING count(DISTINCT title) = 1`;

/** The text that was decided on holds the gates of a plan, and those of every task of a project. */
const GATE_NAMES_SQL = `
  SELECT DISTINCT gate.atom AS name
  FROM approval_uses u
    CROSS JOIN approval_tokens a ON a.nonce = u.nonce
    CROSS JOIN decision_tokens g ON g.token_id = a.token_id
    CROSS JOIN pending_decisions d ON d.request_id = g.request_id,
    json_tree(CASE WHEN json_valid(d.projection) THEN d.projection END) gate
  WHERE u.lineage_id IN (SELECT value FROM json_each(:runIds))
    AND gate.key = 'name' AND gate.type = 'text' AND gate.path GLOB '*.gates[[][0-9]*]'
  ORDER BY name`;

export function readGateNames(db: Pick<Sqlite, "all">, runIds: readonly string[]): readonly string[] {
  return db.all<{ readonly name: string }>(GATE_NAMES_SQL, { runIds: JSON.stringify(runIds) }).map(({ name }) => name);
}

/** All of them in one read. */
export function readTitles(db: Pick<Sqlite, "all">, ids: readonly string[]): ReadonlyMap<string, string> {
  const rows = db.all<{ readonly id: string; readonly title: string }>(TITLES_SQL, { ids: JSON.stringify(ids) });
  return new Map(rows.map(({ id, title }) => [id, title]));
}
