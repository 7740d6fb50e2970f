import { readdirSync } from 'node:fs';
import { operations } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { waitLong } from '../../service/src/storage/suite/notes.ts';
import { canHavePostgres, usePostgres } from '../../testing/src/postgres/in-tests.ts';
import { useDatabases } from './harness.ts';

// The tests of all operations, which run on SQLite in their own files, run here on PostgreSQL.

const folder = new URL('../src/operations/', import.meta.url);
const files = readdirSync(folder).filter(
  (name) => name.endsWith('.test.ts') && Object.hasOwn(operations, name.replace('.test.ts', '')),
);

if (canHavePostgres()) {
  waitLong();
  const postgres = usePostgres();
  useDatabases(() => postgres.freshUrl());
  for (const file of files) await import(new URL(file, folder).href);
}

describe('the tests of operations', () => {
  test('cover each operation', () => {
    expect(files).toHaveLength(Object.keys(operations).length);
  });
});
