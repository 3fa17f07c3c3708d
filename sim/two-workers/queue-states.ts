/** Every message as it stands, dead ones too, to be read as a table: whoever asks about one asks its state. */
export const QUEUE_STATES = `(
  SELECT q.position, q.message_id, q.kind, q.order_key, q.message, q.deliveries + (l.position IS NOT NULL) AS deliveries,
    l.holder, l.lease_until, NULL AS reason,
    CASE WHEN l.position IS NOT NULL THEN 'leased' WHEN q.ready_at IS NULL THEN 'behind' ELSE 'ready' END AS state
  FROM queue q LEFT JOIN queue_leases l ON l.position = q.position
  UNION ALL
  SELECT NULL, message_id, kind, order_key, message, deliveries, NULL, NULL, reason, 'dead' FROM dead_messages)`;
