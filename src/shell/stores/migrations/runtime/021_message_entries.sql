-- How far a message is trusted is held against what the chain tells of it whenever it is read, so it is found without a
-- search.
CREATE INDEX audit_message_entries ON audit_entries (json_extract(entry, '$.data.message_id'), seq)
  WHERE event IN ('message_received', 'message_endorsed');
