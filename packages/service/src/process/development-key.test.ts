import { expect, test } from '@jest/globals';
import { developmentKeyFile } from './development-key.ts';

test.each([
  ['sqlite:data/animal-store.db', 'data/animal-store.development-key'],
  ['sqlite:/var/lib/pets', '/var/lib/pets.development-key'],
  ['sqlite::memory:', undefined],
  ['postgres://store:secret@db.example:5432/animals?sslmode=require', 'data/db.example-5432-animals.development-key'],
  ['postgres://store:secret@[::1]/../x', 'data/-1-x.development-key'],
])('the key of %s is stored in %s', (url, file) => {
  expect(developmentKeyFile(url)).toBe(file);
});
