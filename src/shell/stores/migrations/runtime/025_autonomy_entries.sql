-- Limits of autonomy are judged by what the chain tells of decisions, and count as it tells of their changes; both are
-- found without a search.
CREATE INDEX audit_batch_outcomes ON audit_entries (seq) WHERE event = 'batch_outcome';

CREATE INDEX audit_repairs_asked ON audit_entries (seq) WHERE event = 'goal_asked';

CREATE INDEX audit_limits_changed ON audit_entries (json_extract(entry, '$.data.key'), seq) WHERE event = 'limit_changed';

CREATE INDEX pending_decisions_of_limits ON pending_decisions (created_at DESC, request_id)
WHERE kind = 'autonomy_threshold';
