-- Gives up rather than let all callers wait behind a pg_dump; the supervisor starts the server again.
SET LOCAL lock_timeout = '500ms';
-- Servers of 1.0.0 may still run: the keys that they add have this scope, too.
ALTER TABLE keys ADD COLUMN scope text NOT NULL DEFAULT 'write';

-- Updated every ten seconds for each active key: room in each page lets a row stay where it is.
CREATE TABLE key_activity (
  key_id text NOT NULL,
  operation text NOT NULL,
  calls bigint NOT NULL,
  last_called_at bigint NOT NULL,
  PRIMARY KEY (key_id, operation)
) WITH (fillfactor = 50);
