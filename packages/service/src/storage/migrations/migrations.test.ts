import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { migrationsOf, readMigrations } from './migrations.ts';

const folder = mkdtempSync(join(tmpdir(), 'field-notes-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('readMigrations', () => {
  test('returns the files by number, with normalised line endings', () => {
    writeFileSync(join(folder, '0002-b.sql'), 'two');
    writeFileSync(join(folder, '0001-a.sql'), 'one\r\n');
    writeFileSync(join(folder, 'readme.txt'), '');
    expect(readMigrations(pathToFileURL(`${folder}/`), 'notes')).toEqual([
      { name: 'notes/0001-a.sql', sql: 'one\n' },
      { name: 'notes/0002-b.sql', sql: 'two' },
    ]);
  });

  test.each(['0002-same.sql', 'tables.sql'])('refuses %s, which has no number of its own', (file) => {
    writeFileSync(join(folder, file), '');
    expect(() => readMigrations(pathToFileURL(`${folder}/`), 'notes')).toThrow(
      `${file} does not begin with a unique number`,
    );
    rmSync(join(folder, file));
  });

  test('a store cannot use the name of the common stream', () => {
    const store = { name: 'service', migrations: pathToFileURL(`${folder}/`) };
    expect(() => migrationsOf('sqlite', store)).toThrow('A store cannot be named service');
  });
});
