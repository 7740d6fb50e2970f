-- replaces 6f85348135d93f31e361039a6a81cee7ba849cba6040737b244fe14a9cd516d4
-- Until 1.1.0, this file and 0001-start.sql of the other stream were one.
-- Integers stay within what JSON numbers hold exactly: 2^53-1 on both sides. Times are Unix milliseconds.

CREATE TABLE pets (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL CHECK (category_id BETWEEN -9007199254740991 AND 9007199254740991),
  status TEXT
) STRICT;

CREATE INDEX pets_by_status ON pets (status, id);
