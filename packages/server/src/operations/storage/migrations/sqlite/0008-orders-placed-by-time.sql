-- Finds the placed orders that have expired.
CREATE INDEX orders_placed_by_time ON orders (created_at) WHERE status = 'placed';
