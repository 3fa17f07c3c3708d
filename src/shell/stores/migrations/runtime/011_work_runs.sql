-- What was run on an approval: one row for each attempt lineage that something began. `record` holds the whole record;
-- the columns beside it are for looking up. What has ended stays as it ended.
CREATE TABLE work_runs (
  run_id TEXT PRIMARY KEY REFERENCES attempt_lineages (lineage_id),
  work_item_id TEXT NOT NULL,
  token_id TEXT NOT NULL REFERENCES approval_tokens (token_id),
  status TEXT NOT NULL
    CHECK (status IN ('pending', 'running', 'verifying', 'done', 'stuck', 'blocked', 'cancelled', 'in_doubt')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  record TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  CHECK ((status IN ('pending', 'running', 'verifying')) = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;

-- Decisions that something may run, so that looking for them does not read every plan that was ever approved.
CREATE INDEX pending_decisions_with_steps ON pending_decisions (request_id)
WHERE kind = 'plan_approval' AND CASE WHEN json_valid(projection) THEN json_extract(projection, '$.executor_kind') END = 'steps';

CREATE INDEX work_runs_by_start ON work_runs (started_at, run_id);
CREATE INDEX work_runs_open ON work_runs (run_id) WHERE status IN ('pending', 'running', 'verifying');

-- Every step that was begun. A row is written before the step starts; one that never ended says so for good.
CREATE TABLE work_ledger (
  execution_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES work_runs (run_id),
  -- The order in which steps were begun; an attempt that is repeated begins its steps again.
  position INTEGER NOT NULL CHECK (position > 0),
  state TEXT NOT NULL CHECK (state IN ('started', 'ended', 'in_doubt')),
  entry TEXT NOT NULL,
  UNIQUE (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER work_runs_stay BEFORE UPDATE ON work_runs
WHEN OLD.ended_at IS NOT NULL OR NEW.attempts < OLD.attempts
  OR (NEW.run_id, NEW.work_item_id, NEW.token_id, NEW.started_at)
  IS NOT (OLD.run_id, OLD.work_item_id, OLD.token_id, OLD.started_at)
BEGIN
  SELECT RAISE(ABORT, 'a run that ended is never changed');
END;

CREATE TRIGGER work_runs_remain BEFORE DELETE ON work_runs
BEGIN
  SELECT RAISE(ABORT, 'a run is never removed');
END;

CREATE TRIGGER work_ledger_stay BEFORE UPDATE ON work_ledger
WHEN OLD.state <> 'started' OR NEW.state = 'started'
  OR (NEW.execution_id, NEW.run_id, NEW.position) IS NOT (OLD.execution_id, OLD.run_id, OLD.position)
BEGIN
  SELECT RAISE(ABORT, 'a step that ended is never changed');
END;

CREATE TRIGGER work_ledger_remain BEFORE DELETE ON work_ledger
BEGIN
  SELECT RAISE(ABORT, 'a step is never removed');
END;
