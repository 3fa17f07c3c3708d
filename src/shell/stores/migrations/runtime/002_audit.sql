-- The audit chain. `entry` holds the canonical JSON that was hashed, byte for byte; everything else is derived from it,
-- so that no column can say something the hash does not cover.
CREATE TABLE audit_entries (
  seq INTEGER PRIMARY KEY,
  entry TEXT NOT NULL,
  hash TEXT NOT NULL,
  at TEXT GENERATED ALWAYS AS (json_extract(entry, '$.at')) VIRTUAL,
  event TEXT GENERATED ALWAYS AS (json_extract(entry, '$.event')) VIRTUAL,
  act_id TEXT GENERATED ALWAYS AS (json_extract(entry, '$.data.act_id')) VIRTUAL
) STRICT;

CREATE INDEX audit_entries_by_time ON audit_entries (at);

-- The beginning and the end of one act find each other.
CREATE INDEX audit_entries_by_act ON audit_entries (act_id) WHERE act_id IS NOT NULL;

CREATE INDEX audit_migrations ON audit_entries (seq) WHERE event = 'migration_applied';

-- Places in the chain up to which it was verified. Each is also an entry of the chain with the same id.
CREATE TABLE audit_checkpoints (
  checkpoint_id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL UNIQUE,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A courtesy against mistakes: whoever can drop a trigger can also change a row, and is found out by the chain.
CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries
BEGIN
  SELECT RAISE(ABORT, 'audit entries are never changed');
END;

CREATE TRIGGER audit_entries_remain BEFORE DELETE ON audit_entries
BEGIN
  SELECT RAISE(ABORT, 'audit entries are never removed');
END;
