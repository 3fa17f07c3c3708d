-- What the chain tells of a key is asked whenever one of its signatures is checked, so it is found without a search.
CREATE INDEX audit_key_entries ON audit_entries (json_extract(entry, '$.data.key_id'), seq)
  WHERE event IN ('key_enrolled', 'key_revoked');
