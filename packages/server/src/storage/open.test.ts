import { describe, expect, test } from '@jest/globals';
import { databaseUrlProblem, defaultDatabaseUrl, memoryDatabaseUrl, openStorage } from './open.ts';
import { StorageSetupError } from './storage.ts';

describe('databaseUrlProblem', () => {
  test.each([
    defaultDatabaseUrl,
    memoryDatabaseUrl,
    'sqlite:animal-store.db',
    'sqlite:../with spaces/ä?mode=ro#x.db',
    'sqlite:/var/lib/animal-store.db',
    'sqlite:///var/lib/animal-store.db',
  ])('finds nothing wrong with %s', (url) => {
    expect(databaseUrlProblem(url)).toBeUndefined();
  });

  test.each([
    ['', 'names no engine'],
    ['data/animal-store.db', 'names no engine'],
    ['mysql://user:secret@host/animals', 'names no engine'],
    ['SQLITE:animals.db', 'names no engine'],
    ['sqlite:', 'has no path'],
    ['sqlite:a\0b', 'NUL character'],
    ['sqlite::memory', 'not a database that SQLite has'],
    ['sqlite://animals.db', 'ambiguous'],
  ])('says what is wrong with %j, and what to use', async (url, problem) => {
    expect(databaseUrlProblem(url)).toContain(problem);
    expect(databaseUrlProblem(url)).toContain('Use sqlite:PATH');
    await expect(openStorage(url)).rejects.toThrow(new StorageSetupError(databaseUrlProblem(url)));
  });

  test('does not repeat a password', () => {
    expect(databaseUrlProblem('mysql://user:secret@host/animals')).not.toContain('secret');
  });
});
