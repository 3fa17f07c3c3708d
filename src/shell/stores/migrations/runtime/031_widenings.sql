-- What became of a sign-in that was to widen a connection. A setup of a new one says that by the connection itself.
ALTER TABLE connection_setups ADD COLUMN outcome TEXT CHECK (outcome IN ('granted', 'once', 'failed'));
