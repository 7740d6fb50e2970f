-- Servers of 1.0.0 may still run: the keys that they add have this scope, too.
ALTER TABLE keys ADD COLUMN scope TEXT NOT NULL DEFAULT 'write';

CREATE TABLE key_activity (
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  calls INTEGER NOT NULL,
  last_called_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation)
) STRICT, WITHOUT ROWID;
