-- Integers stay within what JSON numbers hold exactly: 2^53-1 on both sides. Times are Unix milliseconds.

CREATE TABLE pets (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL CHECK (category_id BETWEEN -9007199254740991 AND 9007199254740991),
  status TEXT
) STRICT;

CREATE INDEX pets_by_status ON pets (status, id);

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
