-- additive
-- When each job is due. While it runs, that is the end of its lease.
CREATE TABLE jobs (
  name text PRIMARY KEY,
  due_at bigint NOT NULL,
  lease text
);
