-- additive
-- Bans that began before this time are void.
ALTER TABLE keys ADD COLUMN unbanned_at INTEGER;

-- Who changed a key, when and how. Rows are never changed or deleted. `details` is JSON.
CREATE TABLE key_audit (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
CREATE INDEX key_audit_by_key ON key_audit (key_id, id);

-- The requests of each key by UTC day. The latest day is updated every ten seconds for each active key.
CREATE TABLE key_days (
  key_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_days_by_day ON key_days (day);
