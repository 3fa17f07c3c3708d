-- Files that a goal found and asks about, by name and bytes: each is asked about once as it is, whatever is decided.
CREATE TABLE goal_items (
  goal_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  found_at TEXT NOT NULL,
  PRIMARY KEY (goal_id, name, sha256)
) STRICT, WITHOUT ROWID;

CREATE INDEX goal_items_by_age ON goal_items (goal_id, found_at);
CREATE INDEX batch_series_of_goal ON batch_series (goal_id);
