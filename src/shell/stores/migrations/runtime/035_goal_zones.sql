-- The zone the schedule of a goal was approved in. Null for goals of before: they keep the one they went by.
ALTER TABLE goals ADD COLUMN time_zone TEXT;
