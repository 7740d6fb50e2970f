-- A pet can be deleted, and no id is used again: AUTOINCREMENT remembers the highest id, whether or not its row still exists.
-- SQLite cannot add it to a table, so both tables are copied. An order outlives its pet, so `pet_id` is no foreign key any more.
CREATE TABLE new_pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL CHECK (category_id BETWEEN -9007199254740991 AND 9007199254740991),
  status TEXT
) STRICT;
INSERT INTO new_pets (id, name, category_id, status) SELECT id, name, category_id, status FROM pets;

CREATE TABLE new_orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  key_id TEXT NOT NULL,
  pet_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO new_orders (id, key_id, pet_id, status, created_at)
  SELECT id, key_id, pet_id, status, created_at FROM orders;

-- Orders first, because their foreign key protects the pets.
DROP TABLE orders;
DROP TABLE pets;
ALTER TABLE new_pets RENAME TO pets;
ALTER TABLE new_orders RENAME TO orders;

-- A pet that was deleted by hand may still have orders, and its id must not be used again either.
INSERT INTO sqlite_sequence (name, seq) SELECT 'pets', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'pets');
UPDATE sqlite_sequence SET seq = max(seq, (SELECT ifnull(max(pet_id), 0) FROM orders)) WHERE name = 'pets';

-- Pages of pets, by each filter and by both.
CREATE INDEX pets_by_status ON pets (status, id);
CREATE INDEX pets_by_category ON pets (category_id, id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status, id);

-- A key lists its own orders only, all of them or those with one status.
CREATE INDEX orders_by_key ON orders (key_id, id);
CREATE INDEX orders_by_key_and_status ON orders (key_id, status, id);

-- A pet has at most one placed order.
CREATE UNIQUE INDEX orders_placed_by_pet ON orders (pet_id) WHERE status = 'placed';
