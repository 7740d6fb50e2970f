CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data text NOT NULL, photo bytea);
