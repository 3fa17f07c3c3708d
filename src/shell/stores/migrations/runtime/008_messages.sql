-- Nonces of signed messages that were spent. A row is forgotten when no message that holds its nonce could still count.
CREATE TABLE message_nonces (
  nonce_key TEXT PRIMARY KEY,
  recorded_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX message_nonces_by_age ON message_nonces (recorded_at);

-- Everything recorded before this moment may be gone. It only ever moves on.
CREATE TABLE message_nonce_floor (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  forgotten_before TEXT NOT NULL
) STRICT;

-- Messages as they came in, and what their gates made of them. `text` is what is used; the text as sent has
-- `original_digest`. The trust of a row never changes: what raises it is a row of its own with the approval behind it.
CREATE TABLE messages (
  message_id TEXT PRIMARY KEY,
  scope_id TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('web', 'telegram', 'cli', 'webhook')),
  sender_id TEXT NOT NULL,
  received_at TEXT NOT NULL,
  taint TEXT NOT NULL CHECK (taint IN ('owner', 'auth', 'external')),
  origin TEXT NOT NULL,
  signed TEXT,
  text TEXT NOT NULL,
  original_digest TEXT NOT NULL,
  scrubbed TEXT NOT NULL,
  sources TEXT NOT NULL,
  access_level TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('received', 'waiting', 'accepted', 'blocked')),
  gate TEXT,
  CHECK ((taint = 'owner') = (origin = 'signature')),
  CHECK ((taint = 'auth') = (origin = 'identity')),
  CHECK (state NOT IN ('waiting', 'blocked') OR gate IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX messages_by_scope ON messages (scope_id, message_id);
CREATE INDEX messages_unsettled ON messages (message_id) WHERE state IN ('received', 'waiting');

CREATE TABLE message_endorsements (
  message_id TEXT PRIMARY KEY REFERENCES messages (message_id),
  token_id TEXT NOT NULL UNIQUE REFERENCES approval_tokens (token_id),
  endorsed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What gates decide is decided once, and where a message came from never changes.
CREATE TRIGGER messages_stay BEFORE UPDATE ON messages
WHEN OLD.state NOT IN ('received', 'waiting') OR NEW.state IN ('received', OLD.state)
  OR (NEW.message_id, NEW.scope_id, NEW.connection_id, NEW.channel, NEW.sender_id, NEW.received_at, NEW.taint,
      NEW.origin, NEW.signed, NEW.original_digest, NEW.scrubbed, NEW.sources, NEW.access_level)
  IS NOT (OLD.message_id, OLD.scope_id, OLD.connection_id, OLD.channel, OLD.sender_id, OLD.received_at, OLD.taint,
      OLD.origin, OLD.signed, OLD.original_digest, OLD.scrubbed, OLD.sources, OLD.access_level)
BEGIN
  SELECT RAISE(ABORT, 'a message is never changed');
END;

CREATE TRIGGER messages_remain BEFORE DELETE ON messages
BEGIN
  SELECT RAISE(ABORT, 'a message is never removed');
END;

CREATE TRIGGER message_endorsements_stay BEFORE UPDATE ON message_endorsements
BEGIN
  SELECT RAISE(ABORT, 'an endorsement is never changed');
END;

CREATE TRIGGER message_endorsements_remain BEFORE DELETE ON message_endorsements
BEGIN
  SELECT RAISE(ABORT, 'an endorsement is never removed');
END;

CREATE TRIGGER message_nonce_floor_rises BEFORE UPDATE ON message_nonce_floor
WHEN NEW.forgotten_before < OLD.forgotten_before
BEGIN
  SELECT RAISE(ABORT, 'what was forgotten stays forgotten');
END;
