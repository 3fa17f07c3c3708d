-- The runtime's own records. A statement ends with a semicolon at the end of a line; a trigger ends with a line "END;".

-- Signed-in devices. Only the digest of a token is stored.
CREATE TABLE sessions (
  session_id TEXT PRIMARY KEY,
  device_name TEXT NOT NULL,
  token_digest TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT, WITHOUT ROWID;
