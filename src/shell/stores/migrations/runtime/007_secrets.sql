-- Secrets the owner is asked for, by their name in the vault. No column can hold a secret or anything made from one.
-- That a request's time is over is told from `expires_at` alone, so no row can say otherwise.
CREATE TABLE secure_inputs (
  ref_id TEXT PRIMARY KEY,
  label TEXT NOT NULL,
  input_hint TEXT,
  instructions TEXT NOT NULL,
  help_url TEXT,
  requested_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  fulfilled_at TEXT
) STRICT, WITHOUT ROWID;
