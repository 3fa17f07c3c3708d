-- What was decided about a run in doubt: once, and for good. The run itself stays as it ended.
CREATE TABLE run_settlements (
  run_id TEXT PRIMARY KEY REFERENCES work_runs (run_id),
  choice TEXT NOT NULL CHECK (choice IN ('happened', 'again', 'leave')),
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER run_settlements_stay BEFORE UPDATE ON run_settlements
BEGIN
  SELECT RAISE(ABORT, 'what was decided is never changed');
END;

CREATE TRIGGER run_settlements_remain BEFORE DELETE ON run_settlements
BEGIN
  SELECT RAISE(ABORT, 'what was decided is never removed');
END;

CREATE INDEX work_runs_in_doubt ON work_runs (run_id) WHERE status = 'in_doubt';

-- A receipt shows what was done on an approval, and the entries of the chain that it is bound to.
CREATE INDEX work_runs_by_token ON work_runs (token_id);
CREATE INDEX audit_run_entries ON audit_entries (json_extract(entry, '$.data.run_id'), seq)
  WHERE event IN ('run_started', 'step_in_doubt', 'run_ended', 'run_settled');
