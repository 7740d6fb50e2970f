ALTER TABLE kept_replies RENAME TO idempotency_records;
ALTER TABLE idempotency_records RENAME COLUMN kept_at TO created_at;

-- An index cannot be renamed.
DROP INDEX kept_replies_by_time;
CREATE INDEX idempotency_records_by_time ON idempotency_records (created_at);

-- Servers of 1.0.0 may still run while this one starts: they read and write under the old names. A later release drops this.
CREATE VIEW kept_replies AS
  SELECT key_id, idempotency_key, fingerprint, status, headers, body, created_at AS kept_at FROM idempotency_records;
CREATE TRIGGER kept_replies_insert INSTEAD OF INSERT ON kept_replies BEGIN
  INSERT OR REPLACE INTO idempotency_records (key_id, idempotency_key, fingerprint, status, headers, body, created_at)
  VALUES (new.key_id, new.idempotency_key, new.fingerprint, new.status, new.headers, new.body, new.kept_at);
END;
