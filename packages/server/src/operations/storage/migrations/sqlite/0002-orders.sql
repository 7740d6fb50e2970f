CREATE TABLE orders (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  key_id TEXT NOT NULL,
  pet_id INTEGER NOT NULL REFERENCES pets (id),
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- A key lists its own orders only, all of them or those with one status.
CREATE INDEX orders_by_key ON orders (key_id, id);
CREATE INDEX orders_by_key_and_status ON orders (key_id, status, id);

-- An animal is promised once at a time; and adding an animal must not scan the orders for its foreign key.
CREATE UNIQUE INDEX orders_placed_by_pet ON orders (pet_id) WHERE status = 'placed';
CREATE INDEX orders_by_pet ON orders (pet_id);
