-- The owner's public keys. Rows stay for good: an old signature names the key that made it. Private halves are in the
-- vault and never in this file.
CREATE TABLE owner_keys (
  key_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('vault', 'browser')),
  enrolled_at TEXT NOT NULL,
  revoked_at TEXT,
  last_used_at TEXT
) STRICT, WITHOUT ROWID;
