-- Turns: one message each, and what was answered to it. `turn` holds the whole record; the columns beside it are for
-- finding and counting. A turn moves on and never back, and what has ended stays as it ended.
CREATE TABLE turns (
  message_id TEXT PRIMARY KEY REFERENCES messages (message_id),
  scope_id TEXT NOT NULL,
  turn_number INTEGER NOT NULL CHECK (turn_number > 0),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'asking', 'answered', 'ended', 'failed')),
  asked_at TEXT,
  tokens_used INTEGER NOT NULL CHECK (tokens_used >= 0),
  turn TEXT NOT NULL,
  UNIQUE (scope_id, turn_number)
) STRICT;

CREATE INDEX turns_asked ON turns (asked_at) WHERE asked_at IS NOT NULL;

CREATE TRIGGER turns_stay BEFORE UPDATE ON turns
WHEN OLD.state IN ('ended', 'failed') OR (NEW.message_id, NEW.scope_id, NEW.turn_number)
  IS NOT (OLD.message_id, OLD.scope_id, OLD.turn_number)
BEGIN
  SELECT RAISE(ABORT, 'a turn that has ended is never changed');
END;

CREATE TRIGGER turns_remain BEFORE DELETE ON turns
BEGIN
  SELECT RAISE(ABORT, 'a turn is never removed');
END;

-- How far a reply is trusted is held against what the chain tells of it whenever it is read.
CREATE INDEX audit_turn_entries ON audit_entries (json_extract(entry, '$.data.message_id'), seq)
  WHERE event = 'turn_ended';
