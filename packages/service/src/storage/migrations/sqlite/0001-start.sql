-- replaces 6f85348135d93f31e361039a6a81cee7ba849cba6040737b244fe14a9cd516d4
-- Until 1.1.0, this file and 0001-start.sql of the other stream were one.
-- Integers stay within what JSON numbers hold exactly: 2^53-1 on both sides. Times are Unix milliseconds.

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  plan TEXT NOT NULL,
  name TEXT,
  per_minute INTEGER,
  per_day INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE secrets (
  hash BLOB PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  hint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;

CREATE INDEX secrets_by_key ON secrets (key_id);

CREATE TABLE kept_replies (
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT;

CREATE INDEX kept_replies_by_time ON kept_replies (kept_at);

CREATE TABLE usage (
  key_id TEXT PRIMARY KEY,
  minute INTEGER NOT NULL,
  minute_used INTEGER NOT NULL,
  day INTEGER NOT NULL,
  day_used INTEGER NOT NULL,
  bans INTEGER NOT NULL,
  banned_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
