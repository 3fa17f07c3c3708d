-- Memories of a scope. How far one is trusted is held against what the chain tells of it whenever it is read: a row that
-- was put in, moved to another scope or raised was not Silas's doing.
CREATE TABLE memory_items (
  memory_id TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL UNIQUE,
  scope_id TEXT NOT NULL,
  content TEXT NOT NULL,
  content_digest TEXT NOT NULL,
  memory_type TEXT NOT NULL,
  reingestion_tier TEXT NOT NULL CHECK (reingestion_tier IN ('active', 'low_reingestion')),
  trust_level TEXT NOT NULL CHECK (trust_level IN ('working', 'constitutional')),
  taint TEXT NOT NULL CHECK (taint IN ('owner', 'auth', 'external')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  valid_from TEXT,
  valid_until TEXT,
  access_count INTEGER NOT NULL CHECK (access_count >= 0),
  last_accessed TEXT,
  semantic_tags TEXT NOT NULL,
  entity_refs TEXT NOT NULL,
  causal_refs TEXT NOT NULL,
  temporal_next TEXT,
  temporal_prev TEXT,
  session_id TEXT,
  source_kind TEXT NOT NULL,
  source_id TEXT
) STRICT;

CREATE INDEX memory_items_by_scope ON memory_items (scope_id, memory_id);
CREATE INDEX memory_items_by_creation ON memory_items (created_at);
CREATE INDEX memory_items_by_session ON memory_items (session_id);
CREATE INDEX memory_items_by_entity ON memory_items (entity_refs);
CREATE INDEX memory_items_by_cause ON memory_items (causal_refs);

-- The same words are kept once in a scope, besides a standing rule that says them.
CREATE UNIQUE INDEX memory_items_once ON memory_items (scope_id, content_digest)
  WHERE reingestion_tier = 'active' AND trust_level = 'working';

CREATE VIRTUAL TABLE memory_search USING fts5 (
  content, semantic_tags,
  tokenize="porter unicode61 tokenchars '_-'"
);

-- What is forgotten leaves no words in the pages of the index.
INSERT INTO memory_search (memory_search, rank) VALUES ('secure-delete', 1);

-- Decisions about memories that were carried out, also those that found nothing to raise any more.
CREATE TABLE memory_promotions (
  request_id TEXT NOT NULL PRIMARY KEY REFERENCES pending_decisions (request_id),
  memory_id TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_memory_entries ON audit_entries (json_extract(entry, '$.data.memory_id'), seq)
  WHERE event IN ('memory_stored', 'memory_changed', 'memory_promoted', 'memory_forgotten');
