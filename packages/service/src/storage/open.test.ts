import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { migrationsOf, readMigrations } from './migrations/migrations.ts';
import { databaseUrlProblem, defaultDatabaseUrl, memoryDatabaseUrl } from './open.ts';
import { StorageSetupError } from './storage.ts';
import { openNotes } from './suite/notes.ts';

describe('databaseUrlProblem', () => {
  test.each([
    defaultDatabaseUrl('service'),
    memoryDatabaseUrl,
    'sqlite:field-notes.db',
    'sqlite:../with spaces/ä?mode=ro#x.db',
    'sqlite:/var/lib/field-notes.db',
    'sqlite:///var/lib/field-notes.db',
    'postgres://store:secret@db.example:5432/notes',
    'postgresql://store@db.example/notes?sslmode=verify-full&pool_size=20',
    'postgres://[::1]/notes',
    'postgres:///notes?host=/var/run/postgresql',
    'postgres://store:a,b@one.example:5432/notes',
  ])('accepts %s', (url) => {
    expect(databaseUrlProblem(url)).toBeUndefined();
  });

  test.each([
    ['', 'does not name a supported engine'],
    ['data/field-notes.db', 'does not name a supported engine'],
    ['mysql://user:secret@host/notes', 'does not name a supported engine'],
    ['SQLITE:notes.db', 'does not name a supported engine'],
    ['sqlite:', 'has no path'],
    ['sqlite:a\0b', 'NUL character'],
    ['sqlite::memory', 'is not a SQLite database'],
    ['sqlite://notes.db', 'ambiguous'],
    ['postgres://', 'does not name a database'],
    ['postgres://store:secret@db.example', 'does not name a database'],
    ['postgres:notes', 'is not valid'],
    ['postgres://store:100%secret@db.example/notes', 'a % that is not part of an escape'],
    ['postgres://store:secret@db.example:port/notes', 'is not valid'],
    ['postgres://db.example/notes?sslmode=always', 'sslmode'],
    ['postgres://db.example/notes?pool_size=0', 'pool_size'],
    ['postgres://store:a,b@one.example,two.example/notes', 'several hosts'],
    ['postgres://db.example/notes?host=one.example,two.example', 'several hosts'],
    ['postgres://db.example/notes?hostaddr=192.0.2.1', 'hostaddr'],
    ['postgres://db.example/notes?target_session_attrs=standby', 'target_session_attrs'],
  ])('explains why %j is not valid, and what to use', async (url, problem) => {
    expect(databaseUrlProblem(url)).toContain(problem);
    expect(databaseUrlProblem(url)).toContain('Use sqlite:PATH');
    await expect(openNotes(url)).rejects.toThrow(new StorageSetupError(databaseUrlProblem(url)));
  });

  test.each(['mysql://user:secret@host/notes', 'postgres://user:secret@host', 'postgres://user:secret@host/%'])(
    'does not repeat the password of %s',
    (url) => {
      expect(databaseUrlProblem(url)).not.toContain('secret');
    },
  );
});

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
