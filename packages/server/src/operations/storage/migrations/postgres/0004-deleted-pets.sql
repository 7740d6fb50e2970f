-- Gives up rather than let all callers wait behind a pg_dump; the supervisor starts the server again.
SET LOCAL lock_timeout = '500ms';

-- Pages of pets by category, and by category and status. On a large table, create them before with CONCURRENTLY.
CREATE INDEX IF NOT EXISTS pets_by_category ON pets (category_id, id);
CREATE INDEX IF NOT EXISTS pets_by_category_and_status ON pets (category_id, status, id);

-- Last, because it blocks all readers: a pet can be deleted. Its ended orders stay, so `pet_id` is no foreign key any more, and
-- needs no index for one.
ALTER TABLE orders DROP CONSTRAINT orders_pet_id_fkey;
DROP INDEX orders_by_pet;
