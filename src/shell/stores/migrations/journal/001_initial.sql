-- The owner's journal. A statement ends with a semicolon at the end of a line; a trigger ends with a line "END;".

-- One row per record version that is current. Everything about a record that queries need is derived from its body,
-- so the two can never disagree.
CREATE TABLE records (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  host_id TEXT NOT NULL,
  counter INTEGER NOT NULL CHECK (counter >= 1),
  vector_clock TEXT NOT NULL CHECK (json_valid(vector_clock)),
  -- The texts as the index reads them, only where the tokenizer cannot tell their words apart: emoji, scripts without
  -- spaces. Written with the body, null for all others.
  title_copy TEXT,
  text_copy TEXT,

  -- The last twelve characters of the id, the last one first: people name a record by the end of its id.
  id_end TEXT GENERATED ALWAYS AS (
    substr(id, -1, 1) || substr(id, -2, 1) || substr(id, -3, 1) || substr(id, -4, 1) ||
    substr(id, -5, 1) || substr(id, -6, 1) || substr(id, -7, 1) || substr(id, -8, 1) ||
    substr(id, -9, 1) || substr(id, -10, 1) || substr(id, -11, 1) || substr(id, -12, 1)
  ) VIRTUAL,
  parent_id TEXT GENERATED ALWAYS AS (
    CASE kind
      WHEN 'checklist' THEN json_extract(body, '$.taskId')
      WHEN 'checklistItem' THEN json_extract(body, '$.checklistId')
      WHEN 'timeEntry' THEN json_extract(body, '$.taskId')
      WHEN 'planBlock' THEN json_extract(body, '$.planId')
    END
  ) VIRTUAL,
  sort_order TEXT GENERATED ALWAYS AS (json_extract(body, '$.order')) VIRTUAL,
  -- Where a live task lies: open, done or archived. Null for everything else.
  shelf TEXT GENERATED ALWAYS AS (
    CASE
      WHEN kind <> 'task' OR deleted_at IS NOT NULL THEN NULL
      WHEN json_extract(body, '$.archivedAt') IS NOT NULL THEN 'archived'
      WHEN json_extract(body, '$.status') IN ('DONE', 'DROPPED') THEN 'done'
      ELSE 'open'
    END
  ) VIRTUAL,
  category_id TEXT GENERATED ALWAYS AS (json_extract(body, '$.categoryId')) VIRTUAL,
  due_date TEXT GENERATED ALWAYS AS (json_extract(body, '$.dueDate')) VIRTUAL,
  priority_rank INTEGER GENERATED ALWAYS AS (ifnull(json_extract(body, '$.priority'), 9)) VIRTUAL,
  source_task_id TEXT GENERATED ALWAYS AS (json_extract(body, '$.sourceTaskId')) VIRTUAL,
  -- The moment that sorts the done and the archived shelf.
  shelved_at TEXT GENERATED ALWAYS AS (
    ifnull(json_extract(body, '$.archivedAt'), ifnull(json_extract(body, '$.concludedAt'), ''))
  ) VIRTUAL,
  started_at TEXT GENERATED ALWAYS AS (json_extract(body, '$.startedAt')) VIRTUAL,
  -- A running entry ends after everything.
  ended_rank TEXT GENERATED ALWAYS AS (ifnull(json_extract(body, '$.endedAt'), '~')) VIRTUAL,
  entry_task_id TEXT GENERATED ALWAYS AS (CASE kind WHEN 'entry' THEN json_extract(body, '$.taskId') END) VIRTUAL,
  timeline_at TEXT GENERATED ALWAYS AS (
    CASE kind
      WHEN 'entry' THEN json_extract(body, '$.occurredAt')
      WHEN 'timeEntry' THEN json_extract(body, '$.startedAt')
      WHEN 'task' THEN json_extract(body, '$.concludedAt')
    END
  ) VIRTUAL,
  from_id TEXT GENERATED ALWAYS AS (json_extract(body, '$.fromId')) VIRTUAL,
  to_id TEXT GENERATED ALWAYS AS (json_extract(body, '$.toId')) VIRTUAL,
  target_type TEXT GENERATED ALWAYS AS (json_extract(body, '$.targetType')) VIRTUAL,
  target_id TEXT GENERATED ALWAYS AS (json_extract(body, '$.targetId')) VIRTUAL,

  -- What search sees. Deleted records have nothing to find; the marks of a snippet cannot be forged by a text.
  search_kind TEXT GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN kind END) VIRTUAL,
  search_title TEXT GENERATED ALWAYS AS (
    CASE WHEN deleted_at IS NULL THEN
      ifnull(title_copy, replace(replace(
        ifnull(json_extract(body, '$.title'), json_extract(body, '$.name')), char(2), ' '), char(3), ' '))
    END
  ) VIRTUAL,
  search_text TEXT GENERATED ALWAYS AS (
    CASE WHEN deleted_at IS NULL THEN
      ifnull(text_copy, replace(replace(coalesce(json_extract(body, '$.notes'), json_extract(body, '$.text'),
        json_extract(body, '$.description'), json_extract(body, '$.note')), char(2), ' '), char(3), ' '))
    END
  ) VIRTUAL
) STRICT;

CREATE INDEX records_by_end ON records (id_end);
CREATE INDEX records_by_parent ON records (parent_id, kind) WHERE parent_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX records_few ON records (kind, sort_order, id) WHERE kind IN ('category', 'label') AND deleted_at IS NULL;
CREATE INDEX tasks_in_order ON records (sort_order, id) WHERE kind = 'task' AND deleted_at IS NULL;
CREATE INDEX tasks_by_order ON records (shelf, sort_order, id) WHERE shelf IS NOT NULL;
CREATE INDEX tasks_by_category ON records (shelf, category_id, sort_order, id) WHERE shelf IS NOT NULL;
-- The category comes last so that a filter by it is answered from the index alone: no body is parsed for a skipped row.
CREATE INDEX tasks_by_due ON records (shelf, due_date, priority_rank, sort_order, id, category_id)
  WHERE shelf IS NOT NULL;
CREATE INDEX tasks_by_shelving ON records (shelf, shelved_at, id, category_id) WHERE shelf IS NOT NULL;
CREATE INDEX tasks_by_source ON records (source_task_id) WHERE source_task_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX time_by_end ON records (ended_rank, started_at) WHERE kind = 'timeEntry' AND deleted_at IS NULL;
CREATE INDEX entries_by_task ON records (entry_task_id) WHERE entry_task_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX timeline ON records (timeline_at, id) WHERE timeline_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX links_from ON records (from_id) WHERE kind = 'link' AND deleted_at IS NULL;
CREATE INDEX links_to ON records (to_id) WHERE kind = 'link' AND deleted_at IS NULL;
CREATE INDEX ratings_by_target ON records (target_type, target_id) WHERE kind = 'rating' AND deleted_at IS NULL;

CREATE VIRTUAL TABLE search USING fts5 (
  search_kind, search_title, search_text,
  content = 'records', content_rowid = 'seq', prefix = '1 2 3',
  tokenize = "porter unicode61 remove_diacritics 2 tokenchars '_-'"
);

-- New rows are put into the index by the statement after their insertion, many at a time: FTS5 writes its segments out at
-- every statement that fires a trigger, which made the first import of a journal several times slower.
CREATE TRIGGER records_updated AFTER UPDATE ON records
WHEN (old.search_kind, old.search_title, old.search_text) IS NOT (new.search_kind, new.search_title, new.search_text)
BEGIN
  INSERT INTO search (search, rowid, search_kind, search_title, search_text)
  VALUES ('delete', old.seq, old.search_kind, old.search_title, old.search_text);
  INSERT INTO search (rowid, search_kind, search_title, search_text)
  VALUES (new.seq, new.search_kind, new.search_title, new.search_text);
END;

-- Which task carries which label, so that a filter by label parses no body. Derived from the bodies alone; filled for
-- new rows as the search index is.
CREATE TABLE task_labels (
  label_id TEXT NOT NULL,
  task_seq INTEGER NOT NULL,
  PRIMARY KEY (label_id, task_seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER task_labels_updated AFTER UPDATE ON records
WHEN new.kind = 'task' AND json_extract(old.body, '$.labelIds') IS NOT json_extract(new.body, '$.labelIds')
BEGIN
  DELETE FROM task_labels WHERE task_seq = old.seq
    AND label_id IN (SELECT value FROM json_each(old.body, '$.labelIds'));
  INSERT INTO task_labels (label_id, task_seq)
  SELECT DISTINCT value, new.seq FROM json_each(new.body, '$.labelIds');
END;

-- Records are never removed, only marked: a removed row would come back from any other device.
CREATE TRIGGER records_stay BEFORE DELETE ON records BEGIN
  SELECT raise(ABORT, 'journal records are marked as deleted, never removed');
END;

CREATE TABLE operations (
  seq INTEGER PRIMARY KEY,
  operation_id TEXT NOT NULL UNIQUE,
  command_digest TEXT NOT NULL,
  command TEXT NOT NULL CHECK (json_valid(command)),
  at TEXT NOT NULL,
  subject_id TEXT,
  before_images TEXT NOT NULL CHECK (json_valid(before_images)),
  revisions TEXT NOT NULL CHECK (json_valid(revisions)),
  undone_by TEXT
) STRICT;

-- Which host wrote which record version with which counter, for ever.
CREATE TABLE sequence_log (
  host_id TEXT NOT NULL,
  counter INTEGER NOT NULL CHECK (counter >= 1),
  payload_type TEXT NOT NULL,
  payload_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (host_id, counter)
) STRICT, WITHOUT ROWID;

-- This database's identity and the last counter it gave out.
CREATE TABLE host (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  host_id TEXT NOT NULL,
  counter INTEGER NOT NULL CHECK (counter >= 0)
) STRICT;
