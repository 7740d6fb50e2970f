import { describe, expect, test } from '@jest/globals';
import { databaseUrlProblem, defaultDatabaseUrl, memoryDatabaseUrl } from './open.ts';
import { StorageSetupError } from './storage.ts';
import { openNotes } from './suite/notes.ts';

describe('databaseUrlProblem', () => {
  test.each([
    defaultDatabaseUrl('service'),
    memoryDatabaseUrl,
    'sqlite:animal-store.db',
    'sqlite:../with spaces/ä?mode=ro#x.db',
    'sqlite:/var/lib/animal-store.db',
    'sqlite:///var/lib/animal-store.db',
    'postgres://store:secret@db.example:5432/animals',
    'postgresql://store@db.example/animals?sslmode=verify-full&pool_size=20',
    'postgres://store:a,b@db.example:6432/animals?pgbouncer=true',
    'postgres://[::1]/animals',
    'postgres:///animals?host=/var/run/postgresql',
  ])('accepts %s', (url) => {
    expect(databaseUrlProblem(url)).toBeUndefined();
  });

  test.each([
    ['', 'does not name a supported engine'],
    ['data/animal-store.db', 'does not name a supported engine'],
    ['mysql://user:secret@host/animals', 'does not name a supported engine'],
    ['SQLITE:animals.db', 'does not name a supported engine'],
    ['sqlite:', 'has no path'],
    ['sqlite:a\0b', 'NUL character'],
    ['sqlite::memory', 'is not a SQLite database'],
    ['sqlite://animals.db', 'ambiguous'],
    ['postgres://', 'does not name a database'],
    ['postgres://store:secret@db.example', 'does not name a database'],
    ['postgres:animals', 'is not valid'],
    ['postgres://store:100%secret@db.example/animals', 'a % that is not part of an escape'],
    ['postgres://store:secret@db.example:port/animals', 'is not valid'],
    ['postgres://db.example/animals?sslmode=always', 'sslmode'],
    ['postgres://db.example/animals?pool_size=0', 'pool_size'],
    ['postgres://db.example/animals?pgbouncer=yes', 'pgbouncer'],
    ['postgres://one.example,two.example/animals', 'several hosts'],
    ['postgres://store:a,b@one.example:5432,two.example:5432/animals', 'several hosts'],
    ['postgres://db.example/animals?host=one.example,two.example', 'several hosts'],
    ['postgres://db.example/animals?target_session_attrs=read-write', 'target_session_attrs'],
  ])('explains why %j is not valid, and what to use', async (url, problem) => {
    expect(databaseUrlProblem(url)).toContain(problem);
    expect(databaseUrlProblem(url)).toContain('Use sqlite:PATH');
    await expect(openNotes(url)).rejects.toThrow(new StorageSetupError(databaseUrlProblem(url)));
  });

  test.each(['mysql://user:secret@host/animals', 'postgres://user:secret@host', 'postgres://user:secret@host/%'])(
    'does not repeat the password of %s',
    (url) => {
      expect(databaseUrlProblem(url)).not.toContain('secret');
    },
  );
});
