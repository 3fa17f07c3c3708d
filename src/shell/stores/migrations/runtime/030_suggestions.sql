-- What Silas suggests by itself. A row authorises nothing. Of one thing one suggestion waits at a time, and one that was
-- answered or has expired stays as it ended.
CREATE TABLE suggestions (
  suggestion_id TEXT PRIMARY KEY,
  scope_id TEXT NOT NULL,
  cooldown_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'deferred', 'dismissed', 'expired')),
  created_at TEXT NOT NULL,
  handled_at TEXT,
  suggestion TEXT NOT NULL,
  CHECK ((state = 'pending') = (handled_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX suggestions_waiting ON suggestions (scope_id, cooldown_key) WHERE state = 'pending';

CREATE INDEX suggestions_lately ON suggestions (scope_id, created_at);

CREATE TRIGGER suggestions_stay BEFORE UPDATE ON suggestions WHEN OLD.state <> 'pending'
BEGIN
  SELECT RAISE(ABORT, 'an answered suggestion never changes');
END;

-- When the next look for suggestions is due in a scope, and the latest that was looked after.
CREATE TABLE suggestion_looks (
  scope_id TEXT PRIMARY KEY,
  next_due TEXT,
  last_due TEXT
) STRICT, WITHOUT ROWID;
