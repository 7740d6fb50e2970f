-- Gives up rather than let all callers wait behind a pg_dump; the supervisor starts the server again.
SET LOCAL lock_timeout = '500ms';

-- Finds the placed orders that have expired.
CREATE INDEX IF NOT EXISTS orders_placed_by_time ON orders (created_at) WHERE status = 'placed';
