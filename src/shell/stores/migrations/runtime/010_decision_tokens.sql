-- Every approval that one decision gave, the request's own first: a project has one for each of its tasks, and a goal
-- that stands one for the tasks it begins.
CREATE TABLE decision_tokens (
  request_id TEXT NOT NULL REFERENCES pending_decisions (request_id),
  position INTEGER NOT NULL CHECK (position >= 0),
  token_id TEXT NOT NULL UNIQUE REFERENCES approval_tokens (token_id),
  PRIMARY KEY (request_id, position)
) STRICT, WITHOUT ROWID;

INSERT INTO decision_tokens (request_id, position, token_id)
SELECT request_id, 0, token_id FROM pending_decisions WHERE token_id IS NOT NULL;

CREATE TRIGGER decision_tokens_stay BEFORE UPDATE ON decision_tokens
BEGIN
  SELECT RAISE(ABORT, 'what a decision gave is never changed');
END;

CREATE TRIGGER decision_tokens_remain BEFORE DELETE ON decision_tokens
BEGIN
  SELECT RAISE(ABORT, 'what a decision gave is never removed');
END;
