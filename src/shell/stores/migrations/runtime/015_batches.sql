-- How a batch can be taken back: kept by the commit that approved it, so before anything of it runs. `reverse` holds the
-- canonical text whose SHA-256 the token is for; the time to use it begins when the run ends.
CREATE TABLE batch_undos (
  run_id TEXT PRIMARY KEY REFERENCES attempt_lineages (lineage_id),
  request_id TEXT NOT NULL REFERENCES pending_decisions (request_id),
  token_id TEXT NOT NULL UNIQUE REFERENCES approval_tokens (token_id),
  reverse TEXT NOT NULL,
  window_seconds INTEGER NOT NULL CHECK (window_seconds > 0),
  undo_run_id TEXT UNIQUE REFERENCES attempt_lineages (lineage_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER batch_undos_stay BEFORE UPDATE ON batch_undos
WHEN OLD.undo_run_id IS NOT NULL OR NEW.undo_run_id IS NULL
  OR (NEW.run_id, NEW.request_id, NEW.token_id, NEW.reverse, NEW.window_seconds)
  IS NOT (OLD.run_id, OLD.request_id, OLD.token_id, OLD.reverse, OLD.window_seconds)
BEGIN
  SELECT RAISE(ABORT, 'a way back is used once and never changed');
END;

CREATE TRIGGER batch_undos_remain BEFORE DELETE ON batch_undos
BEGIN
  SELECT RAISE(ABORT, 'a way back is never removed');
END;

-- Batches of one look at a folder, in order. The next is asked about when the one before it is decided; until then it is
-- no request and binds nobody.
CREATE TABLE batch_series (
  series_id TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0),
  goal_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  request_id TEXT UNIQUE REFERENCES pending_decisions (request_id),
  PRIMARY KEY (series_id, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX batch_series_unasked ON batch_series (series_id, position) WHERE request_id IS NULL;

-- Decisions that something may run, so that looking for them does not read every batch that was ever approved.
CREATE INDEX pending_decisions_moving ON pending_decisions (request_id)
WHERE kind = 'batch_review' AND CASE WHEN json_valid(projection) THEN json_extract(projection, '$.action') END = 'move_files';
