-- Decisions that were taken and not carried out yet, so that a start reads these and not every decision there ever was.
-- An id here grants nothing: the decision and its approval are read where they are kept.
CREATE TABLE uncarried_decisions (
  request_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

INSERT INTO uncarried_decisions (request_id)
SELECT request_id FROM pending_decisions d WHERE d.state = 'approved' AND (
  (d.kind = 'skill_install' AND NOT EXISTS (SELECT 1 FROM skill_installs s WHERE s.request_id = d.request_id))
  OR (d.kind IN ('connection_setup', 'permission_escalation')
    AND NOT EXISTS (SELECT 1 FROM connection_setups s WHERE s.request_id = d.request_id))
  OR (d.kind = 'memory_promotion'
    AND NOT EXISTS (SELECT 1 FROM memory_promotions p WHERE p.request_id = d.request_id)
    AND NOT EXISTS (SELECT 1 FROM message_endorsements e WHERE e.token_id = d.token_id)))
UNION
SELECT d.request_id FROM messages m JOIN pending_decisions d ON d.plan_hash = json_extract(m.gate, '$.plan_hash')
WHERE m.state = 'waiting' AND d.kind = 'gate_approval' AND d.state IN ('approved', 'declined');

CREATE TRIGGER uncarried_decisions_come AFTER UPDATE OF state ON pending_decisions
WHEN (NEW.state = 'approved'
    AND NEW.kind IN ('skill_install', 'connection_setup', 'permission_escalation', 'memory_promotion', 'gate_approval'))
  OR (NEW.state = 'declined' AND NEW.kind = 'gate_approval')
BEGIN
  INSERT OR IGNORE INTO uncarried_decisions (request_id) VALUES (NEW.request_id);
END;

CREATE TRIGGER uncarried_decisions_installed AFTER INSERT ON skill_installs
BEGIN
  DELETE FROM uncarried_decisions WHERE request_id = NEW.request_id;
END;

CREATE TRIGGER uncarried_decisions_begun AFTER INSERT ON connection_setups
BEGIN
  DELETE FROM uncarried_decisions WHERE request_id = NEW.request_id;
END;

CREATE TRIGGER uncarried_decisions_promoted AFTER INSERT ON memory_promotions
BEGIN
  DELETE FROM uncarried_decisions WHERE request_id = NEW.request_id;
END;

-- Runs by the status they show, by the end of their id, by when they ended, and the done ones of one piece of work.
ALTER TABLE work_runs ADD COLUMN shown_status TEXT
  GENERATED ALWAYS AS (CASE WHEN json_valid(record) THEN json_extract(record, '$.status') END) VIRTUAL;
ALTER TABLE work_runs ADD COLUMN id_end TEXT GENERATED ALWAYS AS (
  substr(run_id, -1, 1) || substr(run_id, -2, 1) || substr(run_id, -3, 1) || substr(run_id, -4, 1) ||
  substr(run_id, -5, 1) || substr(run_id, -6, 1) || substr(run_id, -7, 1) || substr(run_id, -8, 1)
) VIRTUAL;
CREATE INDEX work_runs_by_status ON work_runs (shown_status, started_at, run_id);
CREATE INDEX work_runs_by_id_end ON work_runs (id_end);
CREATE INDEX work_runs_by_end ON work_runs (ended_at);
CREATE INDEX work_runs_done ON work_runs (work_item_id, ended_at, run_id) WHERE status = 'done';

CREATE INDEX audit_checkpoints_signed ON audit_checkpoints (seq) WHERE signature IS NOT NULL;
