-- The gates of a message are asked in its turn, and receiving it puts it on the queue. What an earlier version had kept and
-- not judged is put there now, behind what waits in the same conversation.
INSERT INTO queue (message_id, kind, order_key, ready_at, message)
SELECT
  'user_message:' || m.message_id, 'user_message', 'proxy_queue:' || m.scope_id,
  CASE
    WHEN EXISTS (SELECT 1 FROM queue q WHERE q.order_key = 'proxy_queue:' || m.scope_id AND q.dead_at IS NULL)
      OR EXISTS (SELECT 1 FROM messages b
        WHERE b.state = 'received' AND b.scope_id = m.scope_id AND b.message_id < m.message_id)
    THEN NULL ELSE m.received_at
  END,
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
WHERE m.state = 'received' AND 'user_message:' || m.message_id NOT IN (SELECT message_id FROM sent_messages)
ORDER BY m.message_id;
INSERT OR IGNORE INTO sent_messages (message_id, position) SELECT message_id, position FROM queue;
