-- Every call of a model, whatever it is for. Budgets are sums over it. A call is reserved, asked once its bytes leave, and
-- then answered, failed or interrupted.
CREATE TABLE model_calls (
  call_id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  prompt_version INTEGER NOT NULL,
  -- The turn, consultation or run that it belongs to.
  subject_id TEXT,
  scope_id TEXT NOT NULL,
  host TEXT,
  model TEXT,
  taint TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'asked', 'answered', 'failed', 'interrupted')),
  tokens_reserved INTEGER NOT NULL CHECK (tokens_reserved >= 0),
  -- Counts in budgets: what was reserved until the call has ended, then what it used.
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  bytes_sent INTEGER,
  sha256 TEXT,
  bytes_received INTEGER,
  reserved_at TEXT NOT NULL,
  ended_at TEXT,
  CHECK ((state IN ('reserved', 'asked')) = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;

-- Calls of before count in the budget of the day they were made on. A call without an answer has none any more.
INSERT INTO model_calls
  (call_id, purpose, prompt_version, subject_id, scope_id, taint, state, tokens_reserved, tokens, reserved_at, ended_at)
SELECT
  'turn:' || message_id, 'planner', 1, message_id, scope_id, 'external',
  CASE state WHEN 'asking' THEN 'interrupted' WHEN 'failed' THEN 'failed' ELSE 'answered' END,
  tokens_used, tokens_used, asked_at, asked_at
FROM turns WHERE asked_at IS NOT NULL;

INSERT INTO model_calls
  (call_id, purpose, prompt_version, subject_id, scope_id, taint, state, tokens_reserved, tokens, reserved_at, ended_at)
SELECT
  'consultation:' || consultation_id,
  CASE WHEN consultation_id LIKE 'consult_planner:%' THEN 'advice' ELSE 'replan' END,
  1, consultation_id, 'owner', 'external',
  CASE state WHEN 'asking' THEN 'interrupted' WHEN 'failed' THEN 'failed' ELSE 'answered' END,
  tokens_used, tokens_used, asked_at, asked_at
FROM consultations WHERE asked_at IS NOT NULL;

INSERT INTO model_calls
  (call_id, purpose, prompt_version, subject_id, scope_id, taint, state, tokens_reserved, tokens, reserved_at, ended_at)
SELECT
  'execution:' || execution_id, 'executor', 1, run_id, 'owner', 'external',
  CASE state WHEN 'ended' THEN 'answered' ELSE 'interrupted' END,
  json_extract(entry, '$.tokens_used'), json_extract(entry, '$.tokens_used'),
  json_extract(entry, '$.started_at'), json_extract(entry, '$.started_at')
FROM work_ledger
WHERE CASE WHEN json_valid(entry) THEN json_extract(entry, '$.tool') = 'model' AND json_extract(entry, '$.tokens_used') >= 0
  AND json_extract(entry, '$.started_at') IS NOT NULL END;

CREATE INDEX model_calls_by_time ON model_calls (reserved_at, tokens);
CREATE INDEX model_calls_open ON model_calls (reserved_at) WHERE ended_at IS NULL;

CREATE TRIGGER model_calls_stay BEFORE UPDATE ON model_calls
WHEN OLD.ended_at IS NOT NULL OR (NEW.call_id, NEW.purpose, NEW.reserved_at, NEW.tokens_reserved)
  IS NOT (OLD.call_id, OLD.purpose, OLD.reserved_at, OLD.tokens_reserved)
BEGIN
  SELECT RAISE(ABORT, 'a call that ended is never changed');
END;

-- Only the ledger is summed now.
DROP INDEX turns_asked;
DROP INDEX consultations_asked;
