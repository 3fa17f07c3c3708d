-- One table for everything that is due at a time. A row moves on in the commit that sends its message, so that a time is
-- neither lost nor sent twice. Owners and schedules are data of the product, so no CHECK names them.
CREATE TABLE timers (
  key TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  -- Five cron fields or always_on, an interval, or one instant.
  schedule TEXT NOT NULL,
  -- The zone cron fields are read in; null for an interval or an instant.
  time_zone TEXT,
  -- 1 for a timer that moves with the machine into another zone.
  follows_zone INTEGER NOT NULL CHECK (follows_zone IN (0, 1)),
  policy TEXT NOT NULL,
  grace_ms INTEGER NOT NULL CHECK (grace_ms >= 0),
  next_due TEXT,
  -- When next_due was computed: later than now, the clock was set back since.
  planned_at TEXT NOT NULL,
  -- Every time up to this one was sent or recorded as skipped.
  settled_through TEXT,
  problem TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX timers_due ON timers (owner, next_due, key);
CREATE INDEX timers_planned ON timers (planned_at) WHERE next_due IS NOT NULL;
CREATE INDEX timers_following ON timers (time_zone) WHERE follows_zone = 1;

-- Goals that were approved before their zone was kept get it at the next start.
INSERT INTO timers (key, owner, schedule, time_zone, follows_zone, policy, grace_ms, next_due, planned_at, settled_through)
SELECT 'goal:' || g.goal_id, 'goal', json_extract(d.projection, '$.schedule'), g.time_zone, 0, 'once', 0, g.next_due,
  coalesce(g.last_due, d.decided_at, d.created_at), g.last_due
FROM goals g JOIN pending_decisions d ON d.request_id = g.request_id
WHERE json_valid(d.projection) AND json_extract(d.projection, '$.schedule') IS NOT NULL;

ALTER TABLE goals DROP COLUMN time_zone;
ALTER TABLE goals DROP COLUMN next_due;
ALTER TABLE goals DROP COLUMN last_due;

-- The next look for suggestions is planned anew.
DROP TABLE suggestion_looks;
