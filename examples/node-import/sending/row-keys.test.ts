import type { NewPet } from '@animal-store/client';
import { expect, test } from '@jest/globals';
import { createRowKeys } from './row-keys.ts';

const rex: NewPet = { name: 'Rex', categoryId: 3 };
const mia: NewPet = { name: 'Mia', categoryId: 7, status: 'sold' };

function keysOf(pets: NewPet[], importId = 'an import'): string[] {
  return pets.map(createRowKeys(importId));
}

test('equal rows have different keys, which are the same in each run', () => {
  const keys = keysOf([rex, mia, rex]);
  expect(new Set(keys).size).toBe(3);
  expect(keysOf([rex, mia, rex])).toEqual(keys);
});

test('rows keep their keys when others are added, removed or moved', () => {
  expect(keysOf([mia, { ...rex, name: 'Max' }, rex]).toSorted()).toEqual(expect.arrayContaining(keysOf([rex, mia])));
});

test('a different row and a different import have different keys', () => {
  const keys = [rex, { ...rex, name: 'rex' }, { ...rex, categoryId: 4 }, { ...rex, status: 'sold' as const }].flatMap(
    (pet) => keysOf([pet]),
  );
  expect(new Set([...keys, ...keysOf([rex], 'another import')]).size).toBe(5);
});
