-- Installations of skills: which bytes of which skill, on whose decision, and what became of it. One decision makes one
-- installation, and of each skill at most one counts. A row here grants nothing: the approval is read where it is kept.
CREATE TABLE skill_installs (
  request_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tree_digest TEXT NOT NULL,
  token_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'failed', 'replaced', 'removed')),
  reason TEXT,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX skill_installs_current ON skill_installs (name) WHERE state IN ('active', 'failed');

-- An installation is held against what the chain tells of it whenever it is read, so that is found without a search.
CREATE INDEX audit_skill_entries ON audit_entries (json_extract(entry, '$.data.skill'), seq)
  WHERE event IN ('skill_installed', 'skill_removed');
