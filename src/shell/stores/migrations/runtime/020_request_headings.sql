-- Attempts that an approval let begin and that nothing has run yet, so that looking for what waits does not read every
-- attempt there ever was. A name here grants nothing: everything about it is read from the attempt and its approval.
CREATE TABLE unbegun_attempts (
  lineage_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

INSERT INTO unbegun_attempts (lineage_id)
SELECT lineage_id FROM attempt_lineages WHERE NOT EXISTS (SELECT 1 FROM work_runs WHERE run_id = lineage_id);

CREATE TRIGGER unbegun_attempts_come AFTER INSERT ON attempt_lineages
BEGIN
  INSERT INTO unbegun_attempts (lineage_id) VALUES (NEW.lineage_id);
END;

CREATE TRIGGER unbegun_attempts_go AFTER INSERT ON work_runs
BEGIN
  DELETE FROM unbegun_attempts WHERE lineage_id = NEW.run_id;
END;

-- What a list of runs needs to know of a request. The requests hold whole plans and cards, and finding one of those costs
-- more the more of them there are. It follows from the request, also from one that somebody changed.
CREATE TABLE request_headings (
  request_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  plan_hash TEXT NOT NULL,
  intent TEXT NOT NULL,
  type TEXT,
  executor_kind TEXT,
  action TEXT
) STRICT, WITHOUT ROWID;

CREATE VIEW headings_of_requests AS
SELECT request_id, kind, plan_hash, intent,
  CASE WHEN json_valid(projection) THEN json_extract(projection, '$.type') END AS type,
  CASE WHEN json_valid(projection) THEN json_extract(projection, '$.executor_kind') END AS executor_kind,
  CASE WHEN json_valid(projection) THEN json_extract(projection, '$.action') END AS action
FROM pending_decisions;

INSERT INTO request_headings SELECT * FROM headings_of_requests;

CREATE TRIGGER request_headings_come AFTER INSERT ON pending_decisions
BEGIN
  INSERT INTO request_headings SELECT * FROM headings_of_requests WHERE request_id = NEW.request_id;
END;

CREATE TRIGGER request_headings_follow AFTER UPDATE OF projection, intent, kind, plan_hash ON pending_decisions
BEGIN
  REPLACE INTO request_headings SELECT * FROM headings_of_requests WHERE request_id = NEW.request_id;
END;

DROP INDEX pending_decisions_moving;
