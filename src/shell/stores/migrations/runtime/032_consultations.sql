-- What the planner is asked about runs. `consultation` holds the whole record; the columns beside it are for finding and
-- counting. One moves on and never back, and what has ended stays as it ended.
CREATE TABLE consultations (
  consultation_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES work_runs (run_id),
  number INTEGER NOT NULL CHECK (number > 0),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'asking', 'answered', 'ended', 'failed')),
  asked_at TEXT,
  tokens_used INTEGER NOT NULL CHECK (tokens_used >= 0),
  consultation TEXT NOT NULL
) STRICT;

CREATE INDEX consultations_of_run ON consultations (run_id, number);
CREATE INDEX consultations_asked ON consultations (asked_at) WHERE asked_at IS NOT NULL;

CREATE TRIGGER consultations_stay BEFORE UPDATE ON consultations
WHEN OLD.state IN ('ended', 'failed') OR (NEW.consultation_id, NEW.run_id, NEW.number)
  IS NOT (OLD.consultation_id, OLD.run_id, OLD.number)
BEGIN
  SELECT RAISE(ABORT, 'a consultation that has ended is never changed');
END;

CREATE TRIGGER consultations_remain BEFORE DELETE ON consultations
BEGIN
  SELECT RAISE(ABORT, 'a consultation is never removed');
END;
