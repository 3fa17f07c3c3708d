-- One queue for all kinds of messages. Kinds are data of the product, so no CHECK names them. A message is ready, behind
-- another one with the same order key, leased to a holder, or dead.
CREATE TABLE queue (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  -- Messages with the same key are handled one at a time, in the order they were sent.
  order_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ready', 'behind', 'leased', 'dead')),
  -- Since when it could be delivered: the longest waits least.
  ready_at TEXT NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0 CHECK (deliveries >= 0),
  -- How often it was leased: only the newest lease settles it.
  fence INTEGER NOT NULL DEFAULT 0,
  holder TEXT,
  lease_until TEXT,
  reason TEXT,
  dead_at TEXT,
  message TEXT NOT NULL,
  CHECK ((state = 'leased') = (lease_until IS NOT NULL)),
  CHECK ((state = 'leased') = (holder IS NOT NULL)),
  CHECK ((state = 'dead') = (reason IS NOT NULL)),
  CHECK ((state = 'dead') = (dead_at IS NOT NULL))
) STRICT;

-- Messages of earlier versions carried empty fields; the work they are about is part of the payload now. A message that
-- cannot be read stays as it is, and its reader sets it aside.
INSERT OR IGNORE INTO queue (message_id, kind, order_key, state, ready_at, deliveries, reason, dead_at, message)
SELECT
  message_id,
  kind,
  queue || ':' || CASE WHEN kind = 'user_message' THEN scope_id ELSE coalesce(trace_id, message_id) END,
  state,
  created_at,
  deliveries,
  reason,
  dead_at,
  CASE
    WHEN kind = 'unreadable' THEN message
    ELSE json_object(
      'message_id', message_id, 'message_kind', kind, 'sender', json_extract(message, '$.sender'),
      'scope_id', scope_id, 'trace_id', trace_id, 'taint', json_extract(message, '$.taint'), 'created_at', created_at,
      'payload', json(CASE
        WHEN kind = 'user_message' THEN json_object('message_id', json_extract(message, '$.payload.message_id'))
        WHEN kind = 'system_event' THEN json_object(
          'event', json_extract(message, '$.payload.event'), 'run_id', json_extract(message, '$.payload.run_id'),
          'work_item_id', json_extract(message, '$.task_id'))
        ELSE json_object(
          'consultation_id', json_extract(message, '$.payload.consultation_id'), 'run_id', trace_id,
          'work_item_id', json_extract(message, '$.task_id'))
      END))
  END
FROM (
  SELECT
    queue, message_id, scope_id, message, reason, dead_at, position, turn,
    -- Nothing is held at a start, and what was held counts as not delivered.
    CASE WHEN state = 'dead' THEN 'dead' ELSE 'ready' END AS state,
    CASE WHEN state = 'leased' THEN deliveries - 1 ELSE deliveries END AS deliveries,
    CASE WHEN json_valid(message) THEN coalesce(json_extract(message, '$.message_kind'), 'unreadable') ELSE 'unreadable' END
      AS kind,
    CASE WHEN json_valid(message) THEN json_extract(message, '$.trace_id') END AS trace_id,
    CASE WHEN json_valid(message) THEN coalesce(json_extract(message, '$.created_at'), '') ELSE '' END AS created_at
  FROM queue_messages
  -- A handled message that was sent once more was waiting to be dropped.
  WHERE state = 'dead' OR message_id NOT IN (SELECT message_id FROM processed_messages)
)
ORDER BY turn, position;

-- Only the first message of an order key is ready.
UPDATE queue SET state = 'behind'
WHERE state = 'ready' AND EXISTS (
  SELECT 1 FROM queue AS before
  WHERE before.order_key = queue.order_key AND before.state IN ('ready', 'behind') AND before.position < queue.position);

DROP TABLE queue_messages;
DROP TABLE lease_numbers;

CREATE INDEX queue_ready ON queue (kind, ready_at, position) WHERE state = 'ready';
CREATE INDEX queue_leased ON queue (lease_until) WHERE state = 'leased';
CREATE INDEX queue_in_order ON queue (order_key, position) WHERE state <> 'dead';
CREATE INDEX queue_dead ON queue (position) WHERE state = 'dead';

CREATE TRIGGER queue_stays BEFORE UPDATE ON queue
WHEN OLD.state = 'dead' OR (NEW.message_id, NEW.kind, NEW.order_key, NEW.message)
  IS NOT (OLD.message_id, OLD.kind, OLD.order_key, OLD.message)
BEGIN
  SELECT RAISE(ABORT, 'a message is never changed');
END;

CREATE TRIGGER queue_remains BEFORE DELETE ON queue WHEN OLD.state = 'dead'
BEGIN
  SELECT RAISE(ABORT, 'a dead message is never removed');
END;

-- One reader handles each kind, so the id alone tells what was handled.
ALTER TABLE processed_messages RENAME TO processed_by_reader;
CREATE TABLE processed_messages (
  message_id TEXT PRIMARY KEY,
  processed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO processed_messages (message_id, processed_at)
SELECT message_id, processed_at FROM processed_by_reader;
DROP TABLE processed_by_reader;
