-- What all servers of this database have in common: `mode` is live or test, as the first one was started.
CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);
