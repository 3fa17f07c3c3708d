-- Finds the entries about one thing by two stored columns instead of thirteen indexes over JSON expressions. An expression
-- has no affinity, so `json_extract(...) = m.memory_id` never used its index and read the whole chain for each row.
-- The columns are generated from the hashed text: no statement can make them say something else. The entries keep their
-- bytes.
CREATE TABLE audit_entries_with_subjects (
  seq INTEGER PRIMARY KEY,
  entry TEXT NOT NULL,
  hash TEXT NOT NULL,
  at TEXT GENERATED ALWAYS AS (json_extract(entry, '$.at')) STORED,
  event TEXT GENERATED ALWAYS AS (json_extract(entry, '$.event')) STORED,
  -- The kind of thing an entry is looked up by. Entries that are only ever listed by time have none and are not indexed.
  subject_kind TEXT GENERATED ALWAYS AS (CASE
    WHEN event IN ('message_received', 'message_endorsed') THEN 'message'
    WHEN event = 'turn_ended' THEN 'turn'
    WHEN event IN ('memory_stored', 'memory_changed', 'memory_promoted', 'memory_forgotten') THEN 'memory'
    WHEN event IN ('approval_granted', 'approval_used') THEN 'approval'
    WHEN event IN ('run_started', 'step_in_doubt', 'run_ended', 'run_settled') THEN 'run'
    WHEN event IN ('key_enrolled', 'key_revoked') THEN 'key'
    WHEN event IN ('skill_installed', 'skill_removed') THEN 'skill'
    WHEN event = 'limit_changed' THEN 'limit'
    WHEN event IN ('stream_loaded', 'stream_replaced', 'stream_taken_out', 'stream_unverified') THEN 'stream'
    WHEN event IN ('batch_outcome', 'goal_asked', 'migration_applied') THEN event
    WHEN json_extract(entry, '$.data.act_id') IS NOT NULL THEN 'act'
  END) STORED,
  -- Null for kinds of which there is only one.
  subject_id TEXT GENERATED ALWAYS AS (CASE subject_kind
    WHEN 'message' THEN json_extract(entry, '$.data.message_id')
    WHEN 'turn' THEN json_extract(entry, '$.data.message_id')
    WHEN 'memory' THEN json_extract(entry, '$.data.memory_id')
    WHEN 'approval' THEN json_extract(entry, '$.data.token_id')
    WHEN 'run' THEN json_extract(entry, '$.data.run_id')
    WHEN 'key' THEN json_extract(entry, '$.data.key_id')
    WHEN 'skill' THEN json_extract(entry, '$.data.skill')
    WHEN 'limit' THEN json_extract(entry, '$.data.key')
    WHEN 'act' THEN json_extract(entry, '$.data.act_id')
  END) STORED
) STRICT;

INSERT INTO audit_entries_with_subjects (seq, entry, hash) SELECT seq, entry, hash FROM audit_entries ORDER BY seq;

DROP TABLE audit_entries;

ALTER TABLE audit_entries_with_subjects RENAME TO audit_entries;

CREATE INDEX audit_entries_by_time ON audit_entries (at);

CREATE INDEX audit_entries_by_subject ON audit_entries (subject_kind, subject_id) WHERE subject_kind IS NOT NULL;

CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries
BEGIN
  SELECT RAISE(ABORT, 'audit entries are never changed');
END;

CREATE TRIGGER audit_entries_remain BEFORE DELETE ON audit_entries
BEGIN
  SELECT RAISE(ABORT, 'audit entries are never removed');
END;
