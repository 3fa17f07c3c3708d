-- The owner's chat on Telegram. A place is a bot together with the owner's chat. Which update comes next is kept with what
-- was taken, so that none is handled twice.
CREATE TABLE telegram_places (
  place TEXT PRIMARY KEY,
  next_update INTEGER NOT NULL CHECK (next_update > 0),
  heard_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Words that were taken and are not handled yet. `after_message` is the newest message of this way before handling began.
CREATE TABLE telegram_texts (
  number INTEGER PRIMARY KEY,
  place TEXT NOT NULL,
  update_id INTEGER NOT NULL,
  text TEXT NOT NULL,
  is_begun INTEGER NOT NULL DEFAULT 0 CHECK (is_begun IN (0, 1)),
  after_message TEXT,
  UNIQUE (place, update_id)
) STRICT;

-- What the owner was told and is still open. Buttons are for one plan and one press; a row here decides nothing.
CREATE TABLE telegram_notices (
  number INTEGER PRIMARY KEY,
  place TEXT NOT NULL,
  notice_id TEXT NOT NULL,
  message_id INTEGER,
  plan_hash TEXT,
  nonce TEXT,
  stage TEXT NOT NULL CHECK (stage IN ('ask', 'confirm')),
  UNIQUE (place, notice_id)
) STRICT;

CREATE TABLE telegram_strangers (
  account_id TEXT PRIMARY KEY,
  first_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
