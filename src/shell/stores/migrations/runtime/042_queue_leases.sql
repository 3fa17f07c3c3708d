-- A message is written once and deleted once: its lease is a row of its own, so that leasing does not write the message again,
-- and a dead message leaves the queue for a table that nothing is ever removed from.
DROP TRIGGER queue_stays;
DROP TRIGGER queue_is_dead;
DROP TRIGGER queue_remains;
DROP INDEX queue_due;
DROP INDEX queue_in_order;
DROP INDEX queue_dead;
ALTER TABLE queue RENAME TO queue_before;

CREATE TABLE queue (
  position INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Messages with the same key are handled one at a time, in the order they were sent.
  order_key TEXT NOT NULL,
  -- Since when it could be delivered: the longest waits least. Empty while it is behind another message.
  ready_at TEXT,
  -- How often it was delivered before; a delivery that goes on counts when it ends.
  deliveries INTEGER NOT NULL DEFAULT 0 CHECK (deliveries >= 0),
  -- How many leases of it ended without settling it; the next one has a fence of one more.
  fence INTEGER NOT NULL DEFAULT 0,
  message TEXT NOT NULL
) STRICT;

-- Who handles which message, and until when. Only the lease whose fence this is settles it.
CREATE TABLE queue_leases (
  position INTEGER PRIMARY KEY,
  fence INTEGER NOT NULL,
  holder TEXT NOT NULL,
  lease_until TEXT NOT NULL
) STRICT;

CREATE TABLE dead_messages (
  number INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  order_key TEXT NOT NULL,
  deliveries INTEGER NOT NULL,
  reason TEXT NOT NULL,
  dead_at TEXT NOT NULL,
  message TEXT NOT NULL
) STRICT;

INSERT INTO dead_messages (message_id, kind, order_key, deliveries, reason, dead_at, message)
SELECT message_id, kind, order_key, deliveries, reason, dead_at, message FROM queue_before
WHERE dead_at IS NOT NULL ORDER BY position;
INSERT INTO queue_leases (position, fence, holder, lease_until)
SELECT position, fence, holder, lease_until FROM queue_before WHERE lease_until IS NOT NULL;
INSERT INTO queue (position, message_id, kind, order_key, ready_at, deliveries, fence, message)
SELECT
  position, message_id, kind, order_key, ready_at, max(0, deliveries - (lease_until IS NOT NULL)),
  fence - (lease_until IS NOT NULL), message
FROM queue_before WHERE dead_at IS NULL;
DROP TABLE queue_before;

-- What is ready, in the order in which it is leased.
CREATE INDEX queue_due ON queue (kind, ready_at) WHERE ready_at IS NOT NULL;
CREATE INDEX queue_in_order ON queue (order_key, position);
CREATE INDEX queue_leases_by_end ON queue_leases (lease_until);
CREATE INDEX dead_messages_by_id ON dead_messages (message_id);

CREATE TRIGGER queue_stays BEFORE UPDATE OF message_id, kind, order_key, message ON queue
WHEN (NEW.message_id, NEW.kind, NEW.order_key, NEW.message)
  IS NOT (OLD.message_id, OLD.kind, OLD.order_key, OLD.message)
BEGIN
  SELECT RAISE(ABORT, 'a message is never changed');
END;

CREATE TRIGGER dead_messages_stay BEFORE UPDATE ON dead_messages
BEGIN
  SELECT RAISE(ABORT, 'a dead message is never changed');
END;

CREATE TRIGGER dead_messages_remain BEFORE DELETE ON dead_messages
BEGIN
  SELECT RAISE(ABORT, 'a dead message is never removed');
END;
