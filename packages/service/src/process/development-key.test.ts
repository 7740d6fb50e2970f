import { expect, test } from '@jest/globals';
import { developmentKeyFile } from './development-key.ts';

test.each([
  ['sqlite:data/field-notes.db', 'data/field-notes.development-key'],
  ['sqlite:/var/lib/notes', '/var/lib/notes.development-key'],
  ['sqlite::memory:', undefined],
  ['postgres://store:secret@db.example:5432/notes?sslmode=require', 'data/db.example-5432-notes.development-key'],
  ['postgres://store:secret@[::1]/../x', 'data/-1-x.development-key'],
])('the key of %s is stored in %s', (url, file) => {
  expect(developmentKeyFile(url)).toBe(file);
});
