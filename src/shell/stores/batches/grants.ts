/**
 * Attempts on approved batches that Silas can carry out: the batch itself, and its way back once somebody used that. Only
 * what was used has an attempt.
 */
const grantsFrom = (tables: string): string => `
  SELECT l.lineage_id AS run_id, d.request_id, l.work_item_id, a.token_id, l.content_hash AS plan_hash,
    l.started_at AS granted_at, NULL AS project_run_id
  FROM ${tables}
  WHERE d.kind = 'batch_review' AND d.action = 'move_files'`;

const APPROVAL = `
  CROSS JOIN approval_uses u ON u.lineage_id = l.lineage_id
  CROSS JOIN approval_tokens a ON a.nonce = u.nonce
  CROSS JOIN decision_tokens g ON g.token_id = a.token_id
  CROSS JOIN request_headings d ON d.request_id = g.request_id`;

export const BATCH_GRANTS = grantsFrom(`unbegun_attempts w
  CROSS JOIN attempt_lineages l ON l.lineage_id = w.lineage_id ${APPROVAL}`);
export const BATCH_GRANT = grantsFrom(`attempt_lineages l ${APPROVAL}`);
