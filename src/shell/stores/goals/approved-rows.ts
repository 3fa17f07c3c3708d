import type { Sha256Hex } from "#base";
import type { ApprovedGoal } from "#model";

/** The newest of each goal; of two in one moment the one with the later id. */
export const APPROVED_GOALS = `
  SELECT d.work_item_id AS goal_id, d.request_id, a.token_id, u.lineage_id AS run_id, d.plan_hash
  FROM (
    SELECT work_item_id, request_id, plan_hash,
      row_number() OVER (PARTITION BY work_item_id ORDER BY decided_at DESC, request_id DESC) AS place
    FROM pending_decisions INDEXED BY pending_decisions_of_goals
    WHERE kind = 'plan_approval' AND state = 'approved'
      AND CASE WHEN json_valid(projection) THEN json_extract(projection, '$.type') END = 'goal'
  ) d
  CROSS JOIN decision_tokens g ON g.request_id = d.request_id AND g.position = 0
  CROSS JOIN approval_tokens a ON a.token_id = g.token_id
  CROSS JOIN approval_uses u ON u.nonce = a.nonce AND u.use_number = 1
  WHERE d.place = 1`;

export type ApprovedRow = {
  readonly goal_id: string;
  readonly request_id: string;
  readonly token_id: string;
  readonly run_id: string;
  readonly plan_hash: string;
};

export const approvedOf = (row: ApprovedRow): ApprovedGoal => ({
  goalId: row.goal_id,
  requestId: row.request_id,
  tokenId: row.token_id,
  runId: row.run_id,
  planHash: row.plan_hash as Sha256Hex,
});
