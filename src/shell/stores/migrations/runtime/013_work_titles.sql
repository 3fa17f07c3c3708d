-- What a piece of work is called is looked up for every page of Activity, so it is found without a search.
CREATE INDEX pending_decisions_by_work_item ON pending_decisions (work_item_id);
