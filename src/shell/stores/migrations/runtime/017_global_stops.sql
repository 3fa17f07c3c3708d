-- Each time everything was stopped: since when, at whose word, and until when. At most one of them stands.
CREATE TABLE global_stops (
  number INTEGER PRIMARY KEY,
  stopped_at TEXT NOT NULL,
  stopped_by TEXT NOT NULL CHECK (stopped_by IN ('owner', 'terminal', 'system')),
  ended_at TEXT
) STRICT;

CREATE UNIQUE INDEX global_stops_standing ON global_stops ((ended_at IS NULL)) WHERE ended_at IS NULL;

CREATE TRIGGER global_stops_stay BEFORE UPDATE ON global_stops
WHEN OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL
  OR (NEW.number, NEW.stopped_at, NEW.stopped_by) IS NOT (OLD.number, OLD.stopped_at, OLD.stopped_by)
BEGIN
  SELECT RAISE(ABORT, 'a stop is ended once and never changed');
END;

CREATE TRIGGER global_stops_remain BEFORE DELETE ON global_stops
BEGIN
  SELECT RAISE(ABORT, 'a stop is never removed');
END;
