-- The gates of a message are asked in its turn, and receiving it puts it on the queue. What an earlier version had kept and
-- not judged is put there now, behind what waits in the same conversation.
INSERT OR IGNORE INTO queue (message_id, kind, order_key, state, ready_at, message)
SELECT
  'user_message:' || m.message_id, 'user_message', 'proxy_queue:' || m.scope_id,
  CASE
    WHEN EXISTS (SELECT 1 FROM queue q WHERE q.order_key = 'proxy_queue:' || m.scope_id AND q.state <> 'dead')
      OR EXISTS (SELECT 1 FROM messages b
        WHERE b.state = 'received' AND b.scope_id = m.scope_id AND b.message_id < m.message_id)
    THEN 'behind' ELSE 'ready'
  END,
  m.received_at,
  json_object(
    'message_id', 'user_message:' || m.message_id, 'message_kind', 'user_message', 'sender', 'user',
    'scope_id', m.scope_id, 'trace_id', m.message_id,
    'taint', CASE
      WHEN 'external' IN (SELECT m.taint UNION SELECT s.value ->> '$.taint' FROM json_each(m.sources) s) THEN 'external'
      WHEN 'auth' IN (SELECT m.taint UNION SELECT s.value ->> '$.taint' FROM json_each(m.sources) s) THEN 'auth'
      ELSE 'owner'
    END,
    'created_at', m.received_at,
    'payload', json_object('message_id', m.message_id))
FROM messages m
WHERE m.state = 'received'
ORDER BY m.message_id;
