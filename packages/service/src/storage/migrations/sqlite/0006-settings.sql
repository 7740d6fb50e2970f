-- What all servers of this database have in common: `mode` is live or test, as the first one was started.
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
