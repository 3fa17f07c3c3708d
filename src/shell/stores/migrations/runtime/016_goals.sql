-- Goals that were approved and are looked after. One row for each goal; its newest approval counts.
CREATE TABLE goals (
  goal_id TEXT PRIMARY KEY,
  request_id TEXT NOT NULL REFERENCES pending_decisions (request_id),
  token_id TEXT NOT NULL REFERENCES approval_tokens (token_id),
  run_id TEXT NOT NULL REFERENCES attempt_lineages (lineage_id),
  plan_hash TEXT NOT NULL,
  is_paused INTEGER NOT NULL CHECK (is_paused IN (0, 1)),
  next_due TEXT,
  last_due TEXT,
  missed_count INTEGER NOT NULL CHECK (missed_count >= 0)
) STRICT, WITHOUT ROWID;

-- Every look at a goal that found something, and the newest of those in which all was well. `record` holds the whole
-- record; the columns beside it are for looking up.
CREATE TABLE goal_cycles (
  goal_id TEXT NOT NULL REFERENCES goals (goal_id),
  number INTEGER NOT NULL CHECK (number > 0),
  -- The attempt that repairs. It is named before an approval is used for it, so that no crash begins a second one.
  run_id TEXT UNIQUE,
  record TEXT NOT NULL,
  -- 1 for a look in which all was well and nothing was repaired.
  is_plain INTEGER NOT NULL CHECK (is_plain IN (0, 1)),
  ended_at TEXT,
  PRIMARY KEY (goal_id, number)
) STRICT, WITHOUT ROWID;

-- One look at a goal at a time.
CREATE UNIQUE INDEX goal_cycles_open ON goal_cycles (goal_id) WHERE ended_at IS NULL;
CREATE INDEX goal_cycles_plain ON goal_cycles (goal_id, number) WHERE is_plain = 1;

CREATE TRIGGER goal_cycles_stay BEFORE UPDATE ON goal_cycles
WHEN OLD.ended_at IS NOT NULL OR (NEW.goal_id, NEW.number) IS NOT (OLD.goal_id, OLD.number)
BEGIN
  SELECT RAISE(ABORT, 'a look that ended is never changed');
END;

CREATE TRIGGER goal_cycles_remain BEFORE DELETE ON goal_cycles WHEN OLD.is_plain = 0
BEGIN
  SELECT RAISE(ABORT, 'a look that found something is never removed');
END;

-- Approved goals, found without reading every plan that was ever approved.
CREATE INDEX pending_decisions_of_goals ON pending_decisions (work_item_id, decided_at, request_id)
WHERE kind = 'plan_approval' AND state = 'approved'
  AND CASE WHEN json_valid(projection) THEN json_extract(projection, '$.type') END = 'goal';
