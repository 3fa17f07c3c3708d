-- What the chain last told about the conversation is asked with every message, so it is found without a search.
CREATE INDEX audit_stream_entries ON audit_entries (seq)
  WHERE event IN ('stream_loaded', 'stream_replaced', 'stream_taken_out', 'stream_unverified');
