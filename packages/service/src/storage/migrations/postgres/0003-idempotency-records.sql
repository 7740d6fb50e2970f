-- Gives up rather than let all callers wait behind a pg_dump; the supervisor starts the server again.
SET LOCAL lock_timeout = '500ms';
ALTER TABLE kept_replies RENAME TO idempotency_records;
ALTER TABLE idempotency_records RENAME COLUMN kept_at TO created_at;
ALTER INDEX kept_replies_pkey RENAME TO idempotency_records_pkey;
ALTER INDEX kept_replies_by_time RENAME TO idempotency_records_by_time;

-- Servers of 1.0.0 may still run while this one starts: they read and write under the old names. A later release drops this.
CREATE VIEW kept_replies AS
  SELECT key_id, idempotency_key, fingerprint, status, headers, body, created_at AS kept_at FROM idempotency_records;
