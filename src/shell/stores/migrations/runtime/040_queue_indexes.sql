-- The same queue with less to write for each message: the state of a message follows from its times, leased messages are
-- found by the index that gives the order of leasing, and the ids of waiting and handled messages are in one table.
DROP TRIGGER queue_stays;
DROP TRIGGER queue_remains;
ALTER TABLE queue RENAME TO queue_before;

CREATE TABLE queue (
  position INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Messages with the same key are handled one at a time, in the order they were sent.
  order_key TEXT NOT NULL,
  -- Since when it could be delivered: the longest waits least. Empty while it is behind another message, and when it is dead.
  ready_at TEXT,
  deliveries INTEGER NOT NULL DEFAULT 0 CHECK (deliveries >= 0),
  -- How often it was leased: only the newest lease settles it.
  fence INTEGER NOT NULL DEFAULT 0,
  holder TEXT,
  lease_until TEXT,
  reason TEXT,
  dead_at TEXT,
  message TEXT NOT NULL,
  state TEXT GENERATED ALWAYS AS (CASE
    WHEN dead_at IS NOT NULL THEN 'dead'
    WHEN lease_until IS NOT NULL THEN 'leased'
    WHEN ready_at IS NULL THEN 'behind'
    ELSE 'ready' END) VIRTUAL,
  CHECK ((holder IS NULL) = (lease_until IS NULL) AND (lease_until IS NULL OR ready_at IS NOT NULL)),
  CHECK ((reason IS NULL) = (dead_at IS NULL) AND (dead_at IS NULL OR ready_at IS NULL))
) STRICT;

INSERT INTO queue (
  position, message_id, kind, order_key, ready_at, deliveries, fence, holder, lease_until, reason, dead_at, message)
SELECT
  position, message_id, kind, order_key, CASE WHEN state IN ('ready', 'leased') THEN ready_at END, deliveries, fence, holder,
  lease_until, reason, dead_at, message
FROM queue_before;
DROP TABLE queue_before;

-- Messages that wait, are dead or were handled, by their ids: sent again, they are known. A handled one is no longer at its
-- position; of some kinds the ids of handled messages are not kept.
CREATE TABLE sent_messages (
  message_id TEXT PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sent_messages (message_id, position) SELECT message_id, position FROM queue;
INSERT OR IGNORE INTO sent_messages (message_id, position) SELECT message_id, 0 FROM processed_messages;
DROP TABLE processed_messages;

-- What is ready has no lease and comes first, in the order in which it is leased; behind it are the leases by their ends.
CREATE INDEX queue_due ON queue (kind, lease_until, ready_at) WHERE ready_at IS NOT NULL;
CREATE INDEX queue_in_order ON queue (order_key, position) WHERE dead_at IS NULL;
CREATE INDEX queue_dead ON queue (position) WHERE dead_at IS NOT NULL;

CREATE TRIGGER queue_stays BEFORE UPDATE OF message_id, kind, order_key, message ON queue
WHEN (NEW.message_id, NEW.kind, NEW.order_key, NEW.message)
  IS NOT (OLD.message_id, OLD.kind, OLD.order_key, OLD.message)
BEGIN
  SELECT RAISE(ABORT, 'a message is never changed');
END;

CREATE TRIGGER queue_is_dead BEFORE UPDATE OF reason, dead_at ON queue WHEN OLD.dead_at IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'a dead message is never changed');
END;

CREATE TRIGGER queue_remains BEFORE DELETE ON queue WHEN OLD.dead_at IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'a dead message is never removed');
END;
