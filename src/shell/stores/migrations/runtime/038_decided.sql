-- A decision and what it lets run are one kind of message. What an earlier version had granted, or had decided and not yet
-- carried out, is on the queue in that form. Rows of unknown grants stay as they are, and a start sets them aside.
DROP TRIGGER queue_stays;
DROP TRIGGER queue_remains;

UPDATE queue SET
  message_id = 'decided:' || granted.run_id,
  kind = 'decided',
  message = json_object(
    'message_id', 'decided:' || granted.run_id, 'message_kind', 'decided', 'sender', 'runtime',
    'scope_id', json_extract(message, '$.scope_id'), 'trace_id', granted.run_id,
    'taint', json_extract(message, '$.taint'), 'created_at', json_extract(message, '$.created_at'),
    'payload', json_object(
      'request_id', granted.request_id, 'kind', granted.kind, 'run_id', granted.run_id,
      'work_item_id', json_extract(message, '$.payload.work_item_id')))
FROM (
  SELECT u.lineage_id AS run_id, d.request_id, d.kind
  FROM approval_uses u
    CROSS JOIN approval_tokens a ON a.nonce = u.nonce
    CROSS JOIN decision_tokens g ON g.token_id = a.token_id
    CROSS JOIN pending_decisions d ON d.request_id = g.request_id
) AS granted
WHERE queue.kind = 'system_event' AND json_valid(queue.message)
  AND granted.run_id = json_extract(queue.message, '$.payload.run_id');

INSERT INTO queue (message_id, kind, order_key, state, ready_at, message)
SELECT
  'decided:' || d.request_id, 'decided', 'runtime_queue:decided:' || d.request_id, 'ready', d.decided_at,
  json_object(
    'message_id', 'decided:' || d.request_id, 'message_kind', 'decided', 'sender', 'runtime', 'scope_id', 'owner',
    'trace_id', d.request_id, 'taint', 'owner', 'created_at', d.decided_at,
    'payload', json_object('request_id', d.request_id, 'kind', d.kind))
FROM uncarried_decisions o JOIN pending_decisions d ON d.request_id = o.request_id
ORDER BY d.decided_at, d.request_id;

DROP TRIGGER IF EXISTS uncarried_decisions_come;
DROP TRIGGER IF EXISTS uncarried_decisions_installed;
DROP TRIGGER IF EXISTS uncarried_decisions_begun;
DROP TRIGGER IF EXISTS uncarried_decisions_promoted;
DROP TABLE uncarried_decisions;

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
