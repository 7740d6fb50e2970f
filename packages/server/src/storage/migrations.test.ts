import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readMigrations } from './migrations.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('readMigrations', () => {
  test('returns the files by number, with normalised line endings', () => {
    writeFileSync(join(folder, '0002-b.sql'), 'two');
    writeFileSync(join(folder, '0001-a.sql'), 'one\r\n');
    writeFileSync(join(folder, 'readme.txt'), '');
    expect(readMigrations(pathToFileURL(`${folder}/`))).toEqual([
      { number: 1, name: '0001-a.sql', sql: 'one\n' },
      { number: 2, name: '0002-b.sql', sql: 'two' },
    ]);
  });

  test('refuses a gap', () => {
    writeFileSync(join(folder, '0004-d.sql'), '');
    expect(() => readMigrations(pathToFileURL(`${folder}/`))).toThrow('0004-d.sql is out of sequence');
  });
});
