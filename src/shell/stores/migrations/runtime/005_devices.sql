-- The key a browser made for itself belongs to the session it was confirmed in, and ends with it.
ALTER TABLE owner_keys ADD COLUMN session_id TEXT REFERENCES sessions (session_id)
  CHECK ((kind = 'browser') = (session_id IS NOT NULL));

-- A device signs with one key.
CREATE UNIQUE INDEX owner_keys_of_session ON owner_keys (session_id) WHERE revoked_at IS NULL;

-- What a list says of a request is read from an index alone: the card itself may be long, and a list has many of them.
-- So the card's first line is kept beside it; a generated column would read the whole card each time.
ALTER TABLE pending_decisions ADD COLUMN intent TEXT NOT NULL DEFAULT '';

DROP TRIGGER pending_decisions_stay;

UPDATE pending_decisions SET intent = json_extract(card, '$.intent');

CREATE TRIGGER pending_decisions_stay BEFORE UPDATE ON pending_decisions WHEN OLD.state <> 'pending'
BEGIN
  SELECT RAISE(ABORT, 'a decision is never changed');
END;

CREATE INDEX pending_decisions_rows ON pending_decisions (
  state, created_at, request_id, kind, intent, risk_level, active_since, expires_at, decided_at, decided_by, again_of
);

CREATE INDEX pending_decisions_decided ON pending_decisions (
  decided_at, request_id, kind, intent, risk_level, created_at, active_since, expires_at, state, decided_by, again_of
) WHERE state IN ('approved', 'declined');

-- How long a person looked at what weighs at least medium, newest last.
CREATE INDEX pending_decisions_weighed ON pending_decisions (decided_at, request_id, active_since, state, risk_level)
  WHERE state IN ('approved', 'declined') AND risk_level <> 'low' AND active_since IS NOT NULL;

CREATE INDEX pending_decisions_ending ON pending_decisions (expires_at, request_id) WHERE state = 'pending';
