import { LIMITS } from "#base";
import type { GoalItem, GoalItems, NewGoalItems } from "#ports";
import type { Sqlite } from "../sqlite.ts";

/** Whether a request `d` is still to be decided. One that was asked again, or chosen from, has the later one in its place. */
export const HOLDS = "d.state IN ('pending', 'expired')";

/** Rows of a goal that are not decided: not asked about yet, or without an answer. */
const OPEN = `SELECT s.series_id, s.position, s.payload FROM batch_series s
  LEFT JOIN pending_decisions d ON d.request_id = s.request_id
  WHERE s.goal_id = :goalId AND (s.request_id IS NULL OR ${HOLDS})`;

export function itemsOf(db: Sqlite, goalId: string): GoalItems {
  const open = db.all<{ readonly action: string | null }>(
    `SELECT CASE WHEN json_valid(payload) THEN json_extract(payload, '$.action') END AS action FROM (${OPEN})`,
    { goalId },
  );
  const openQuestions = open.filter(({ action }) => action === "choose_move").length;
  return {
    items: db.all<GoalItem>("SELECT name, sha256 FROM goal_items WHERE goal_id = :goalId", { goalId }),
    openBatches: open.length - openQuestions,
    openQuestions,
  };
}

export function addItems(db: Sqlite, { goalId, items, at }: NewGoalItems): void {
  db.run(`DELETE FROM batch_series WHERE goal_id = :goalId AND series_id NOT IN (SELECT series_id FROM (${OPEN}))`, {
    goalId,
  });
  for (const { name, sha256 } of items) {
    db.run(
      `INSERT INTO goal_items (goal_id, name, sha256, found_at) VALUES (:goalId, :name, :sha256, :at)
       ON CONFLICT DO NOTHING`,
      { goalId, name, sha256, at },
    );
  }
  db.run(
    `DELETE FROM goal_items WHERE goal_id = :goalId AND found_at < (
       SELECT found_at FROM goal_items INDEXED BY goal_items_by_age WHERE goal_id = :goalId
       ORDER BY found_at DESC LIMIT 1 OFFSET :kept)`,
    { goalId, kept: LIMITS.goalItemsKept },
  );
}
