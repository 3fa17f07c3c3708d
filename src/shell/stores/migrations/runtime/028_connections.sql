-- Connections to services: what is known of each, without any secret, and which decision began a setup. One decision
-- begins one setup. A row here grants nothing: the approval is read where it is kept, and the vault keeps what opens.
CREATE TABLE connections (
  connection_id TEXT PRIMARY KEY,
  connection TEXT NOT NULL CHECK (json_valid(connection))
) STRICT, WITHOUT ROWID;

CREATE TABLE connection_setups (
  request_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
