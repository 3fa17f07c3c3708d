-- Plans that wait for a decision, and what became of them. A row is never removed, so that nothing is lost silently.
-- `projection` holds the canonical text whose SHA-256 is `plan_hash`, byte for byte; `markdown` the file as proposed.
CREATE TABLE pending_decisions (
  request_id TEXT PRIMARY KEY,
  plan_hash TEXT NOT NULL,
  work_item_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  risk_level TEXT NOT NULL,
  projection TEXT NOT NULL,
  card TEXT NOT NULL,
  markdown TEXT NOT NULL,
  again_of TEXT UNIQUE REFERENCES pending_decisions (request_id),
  created_at TEXT NOT NULL,
  proposed_by TEXT NOT NULL,
  active_since TEXT,
  expires_at TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'declined', 'expired')),
  decided_at TEXT,
  decided_by TEXT,
  token_id TEXT UNIQUE REFERENCES approval_tokens (token_id),
  CHECK ((state = 'pending') = (decided_at IS NULL)),
  CHECK ((state = 'approved') = (token_id IS NOT NULL)),
  CHECK ((active_since IS NULL) = (expires_at IS NULL))
) STRICT, WITHOUT ROWID;

-- The same plan waits at most once.
CREATE UNIQUE INDEX pending_decisions_waiting ON pending_decisions (plan_hash) WHERE state = 'pending';
CREATE INDEX pending_decisions_by_state ON pending_decisions (state, created_at, request_id);

-- Signed approvals. `token` holds the canonical JSON with its signature; the columns beside it are for looking up.
CREATE TABLE approval_tokens (
  token_id TEXT PRIMARY KEY,
  nonce TEXT NOT NULL UNIQUE,
  plan_hash TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES owner_keys (key_id),
  max_executions INTEGER NOT NULL CHECK (max_executions > 0),
  token TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- An attempt that an approval let begin. It waits as `granted` until something runs it.
CREATE TABLE attempt_lineages (
  lineage_id TEXT PRIMARY KEY,
  work_item_id TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('granted')),
  started_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per use, under the nonce that was signed: how often an approval was used is a count of these and nothing else.
CREATE TABLE approval_uses (
  nonce TEXT NOT NULL REFERENCES approval_tokens (nonce),
  use_number INTEGER NOT NULL CHECK (use_number > 0),
  content_hash TEXT NOT NULL,
  lineage_id TEXT NOT NULL UNIQUE REFERENCES attempt_lineages (lineage_id),
  used_at TEXT NOT NULL,
  PRIMARY KEY (nonce, use_number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER approval_tokens_stay BEFORE UPDATE ON approval_tokens
BEGIN
  SELECT RAISE(ABORT, 'an approval is never changed');
END;

CREATE TRIGGER approval_tokens_remain BEFORE DELETE ON approval_tokens
BEGIN
  SELECT RAISE(ABORT, 'an approval is never removed');
END;

CREATE TRIGGER approval_uses_stay BEFORE UPDATE ON approval_uses
BEGIN
  SELECT RAISE(ABORT, 'a use is never changed');
END;

CREATE TRIGGER approval_uses_remain BEFORE DELETE ON approval_uses
BEGIN
  SELECT RAISE(ABORT, 'a use is never taken back');
END;

-- What was decided stays decided.
CREATE TRIGGER pending_decisions_stay BEFORE UPDATE ON pending_decisions WHEN OLD.state <> 'pending'
BEGIN
  SELECT RAISE(ABORT, 'a decision is never changed');
END;
