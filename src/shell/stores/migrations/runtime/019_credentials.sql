-- The one host a secret was saved for: the gateway adds it to requests for that host and to no others.
ALTER TABLE secure_inputs ADD COLUMN host TEXT;

-- What each run did with its network, host by host, in sums; what was said there is kept nowhere.
CREATE TABLE run_network (
  run_id TEXT NOT NULL,
  host TEXT NOT NULL,
  requests INTEGER NOT NULL,
  bytes_sent INTEGER NOT NULL,
  bytes_received INTEGER NOT NULL,
  PRIMARY KEY (run_id, host)
) STRICT, WITHOUT ROWID;
