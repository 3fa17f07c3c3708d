-- Messages that wait for somebody to act on them, or that nobody could act on. What was acted on is not kept here: the
-- name of it is, below. `message` holds the whole message; the columns beside it are for finding and ordering.
CREATE TABLE queue_messages (
  position INTEGER PRIMARY KEY,
  queue TEXT NOT NULL CHECK (queue IN ('proxy_queue', 'planner_queue', 'executor_queue', 'runtime_queue')),
  message_id TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  -- Its place in the order: scopes take turns, so that one with many messages does not keep another waiting.
  turn INTEGER NOT NULL CHECK (turn > 0),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'leased', 'dead')),
  deliveries INTEGER NOT NULL DEFAULT 0 CHECK (deliveries >= 0),
  -- Who holds it, by a number that no other lease has had, and until when.
  fence INTEGER,
  lease_until TEXT,
  reason TEXT,
  dead_at TEXT,
  message TEXT NOT NULL,
  UNIQUE (queue, message_id),
  CHECK ((state = 'leased') = (lease_until IS NOT NULL)),
  CHECK ((state = 'dead') = (reason IS NOT NULL)),
  CHECK ((state = 'dead') = (dead_at IS NOT NULL))
) STRICT;

CREATE INDEX queue_messages_waiting ON queue_messages (queue, turn, position) WHERE state = 'waiting';
CREATE INDEX queue_messages_of_scope ON queue_messages (queue, scope_id, turn) WHERE state = 'waiting';
CREATE INDEX queue_messages_leased ON queue_messages (queue, lease_until) WHERE state = 'leased';
CREATE INDEX queue_messages_dead ON queue_messages (queue, position) WHERE state = 'dead';

CREATE TRIGGER queue_messages_stay BEFORE UPDATE ON queue_messages
WHEN OLD.state = 'dead' OR (NEW.queue, NEW.message_id, NEW.scope_id, NEW.message)
  IS NOT (OLD.queue, OLD.message_id, OLD.scope_id, OLD.message)
BEGIN
  SELECT RAISE(ABORT, 'a message is never changed');
END;

CREATE TRIGGER queue_messages_remain BEFORE DELETE ON queue_messages WHEN OLD.state = 'dead'
BEGIN
  SELECT RAISE(ABORT, 'what was set aside is never removed');
END;

-- Who has acted on what: the same message is never given to the same reader again.
CREATE TABLE processed_messages (
  consumer TEXT NOT NULL,
  message_id TEXT NOT NULL,
  processed_at TEXT NOT NULL,
  PRIMARY KEY (consumer, message_id)
) STRICT, WITHOUT ROWID;

-- The number of the newest lease.
CREATE TABLE lease_numbers (
  last INTEGER NOT NULL
) STRICT;
INSERT INTO lease_numbers (last) VALUES (0);

-- What was granted before there was a queue, and nobody has begun: a plan with steps, a batch of files or its way back, or
-- the repair of a goal. Tasks of a project are begun by their project.
INSERT INTO queue_messages (queue, message_id, scope_id, turn, state, message)
SELECT 'runtime_queue', 'run_granted:' || lineage_id, 'owner', row_number() OVER (ORDER BY started_at, lineage_id), 'waiting',
  json_object(
    'message_id', 'run_granted:' || lineage_id, 'trace_id', lineage_id, 'content', '', 'sender', 'runtime',
    'message_kind', 'system_event', 'scope_id', 'owner', 'taint', 'external', 'task_id', work_item_id,
    'payload', json_object('event', 'run_granted', 'run_id', lineage_id),
    'urgency', 'informational', 'created_at', started_at)
FROM attempt_lineages
WHERE lineage_id IN (SELECT lineage_id FROM unbegun_attempts)
  AND (
    lineage_id IN (SELECT run_id FROM goal_cycles WHERE run_id IS NOT NULL)
    OR EXISTS (
      SELECT 1 FROM approval_uses u
      JOIN approval_tokens a ON a.nonce = u.nonce
      JOIN decision_tokens g ON g.token_id = a.token_id
      JOIN request_headings d ON d.request_id = g.request_id
      WHERE u.lineage_id = attempt_lineages.lineage_id
        AND ((d.kind = 'plan_approval' AND d.executor_kind = 'steps' AND g.position = 0)
          OR (d.kind = 'batch_review' AND d.action = 'move_files'))))
ORDER BY started_at, lineage_id;
