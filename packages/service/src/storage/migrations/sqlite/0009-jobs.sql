-- additive
-- When each job is due. While it runs, that is the end of its lease.
CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL,
  lease TEXT
) STRICT, WITHOUT ROWID;
