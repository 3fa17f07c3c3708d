-- What the chain tells of keys and of uses of approvals is held against their rows whenever they count for something, so
-- it is found without a search.
CREATE INDEX audit_key_entries ON audit_entries (json_extract(entry, '$.data.key_id'), seq)
  WHERE event IN ('key_enrolled', 'key_revoked');

CREATE INDEX audit_use_entries ON audit_entries (json_extract(entry, '$.data.token_id'), seq)
  WHERE event IN ('approval_granted', 'approval_used');
