-- Passkeys, each of the signed-in browser that made it. Public halves only. Rows stay when one is removed: the audit
-- chain names it.
CREATE TABLE passkeys (
  passkey_id TEXT PRIMARY KEY,
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL CHECK (counter >= 0),
  session_id TEXT NOT NULL REFERENCES sessions (session_id),
  rp_id TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  removed_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_of_session ON passkeys (session_id) WHERE removed_at IS NULL;

-- A passkey is used and removed, and nothing else about it ever changes. Its counter never goes back.
CREATE TRIGGER passkeys_stay BEFORE UPDATE ON passkeys
WHEN OLD.removed_at IS NOT NULL
  OR NEW.counter < OLD.counter
  OR (NEW.passkey_id, NEW.credential_id, NEW.public_key, NEW.session_id, NEW.rp_id, NEW.name, NEW.created_at)
    <> (OLD.passkey_id, OLD.credential_id, OLD.public_key, OLD.session_id, OLD.rp_id, OLD.name, OLD.created_at)
BEGIN
  SELECT RAISE(ABORT, 'a passkey is never changed');
END;

CREATE TRIGGER passkeys_remain BEFORE DELETE ON passkeys
BEGIN
  SELECT RAISE(ABORT, 'a passkey is never taken off the record');
END;
