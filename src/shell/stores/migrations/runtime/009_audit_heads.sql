-- The owner's signature over the head that a checkpoint marks, committed with it. The line kept beside the database says
-- the same; after a crash or a restore it is written again from here.
ALTER TABLE audit_checkpoints ADD COLUMN signature TEXT;
