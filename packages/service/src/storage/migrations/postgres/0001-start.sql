-- replaces d7d5cd087eb39fdf192f20adc19e55adebc15dc8c5a95416573bbbd048384a90
-- Until 1.1.0, this file and 0001-start.sql of the other stream were one.
-- Integers stay within what JSON numbers hold exactly: 2^53-1 on both sides. Times are Unix milliseconds.

-- Keys and secrets that were made in the same millisecond stay in the order in which they came: `position`.
CREATE TABLE keys (
  id text PRIMARY KEY,
  plan text NOT NULL,
  name text,
  per_minute bigint,
  per_day bigint,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  position bigint GENERATED ALWAYS AS IDENTITY
);

CREATE TABLE secrets (
  hash bytea PRIMARY KEY,
  key_id text NOT NULL REFERENCES keys (id),
  hint text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  position bigint GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX secrets_by_key ON secrets (key_id);

CREATE TABLE kept_replies (
  key_id text NOT NULL,
  idempotency_key text NOT NULL,
  fingerprint text NOT NULL,
  status bigint NOT NULL,
  headers text NOT NULL,
  body text NOT NULL,
  kept_at bigint NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
);
CREATE INDEX kept_replies_by_time ON kept_replies (kept_at);

-- Written anew for each key every second: room in each page lets a row stay where it is.
CREATE TABLE usage (
  key_id text PRIMARY KEY,
  minute bigint NOT NULL,
  minute_used bigint NOT NULL,
  day bigint NOT NULL,
  day_used bigint NOT NULL,
  bans bigint NOT NULL,
  banned_until bigint NOT NULL
) WITH (fillfactor = 50);
