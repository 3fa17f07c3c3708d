-- How many tasks there are of each kind, kept beside them, so that counting does not go through all tasks.
-- Done and archived tasks are counted together whatever day they were due: the table has a row for each day on which an
-- open task is due, and two more.
ALTER TABLE records ADD COLUMN count_place TEXT GENERATED ALWAYS AS (
  CASE WHEN shelf = 'open' THEN iif(category_id IS NULL, 'inbox', 'filed') ELSE shelf END
) VIRTUAL;

-- Empty without a due date: a part of the key is never null.
ALTER TABLE records ADD COLUMN count_due TEXT GENERATED ALWAYS AS (
  CASE WHEN shelf = 'open' THEN ifnull(due_date, '') ELSE '' END
) VIRTUAL;

CREATE TABLE task_counts (
  place TEXT NOT NULL,
  due_date TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (place, due_date)
) STRICT, WITHOUT ROWID;

INSERT INTO task_counts (place, due_date, count)
SELECT count_place, count_due, count(*) FROM records WHERE shelf IS NOT NULL GROUP BY count_place, count_due;

-- New rows are counted with the statement that puts them into the search index.
CREATE TRIGGER task_counts_updated AFTER UPDATE ON records
WHEN (old.count_place, old.count_due) IS NOT (new.count_place, new.count_due)
BEGIN
  UPDATE task_counts SET count = count - 1 WHERE place = old.count_place AND due_date = old.count_due;
  DELETE FROM task_counts WHERE place = old.count_place AND due_date = old.count_due AND count = 0;
  INSERT INTO task_counts (place, due_date, count)
  SELECT new.count_place, new.count_due, 1 WHERE new.count_place IS NOT NULL
  ON CONFLICT (place, due_date) DO UPDATE SET count = count + 1;
END;
