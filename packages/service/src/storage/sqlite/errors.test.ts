import { describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../storage.ts';
import { isBusy, runStatements, translate } from './connection.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('from the engine'), { code: 'ERR_SQLITE_ERROR', errcode });
}

describe('errors of the engine', () => {
  // BUSY, BUSY_RECOVERY, READONLY, IOERR, IOERR_FSYNC, CORRUPT, FULL, CANTOPEN, NOTADB
  test.each([5, 261, 8, 10, 1034, 11, 13, 14, 26])('with code %d become StorageUnavailableError', (code) => {
    const error = sqliteError(code);
    expect(translate(error)).toBeInstanceOf(StorageUnavailableError);
    expect(translate(error)).toHaveProperty('cause', error);
  });

  test('of a closed connection become StorageUnavailableError', () => {
    const error = Object.assign(new Error('database is not open'), { code: 'ERR_INVALID_STATE' });
    expect(translate(error)).toBeInstanceOf(StorageUnavailableError);
  });

  // ERROR, TOOBIG, CONSTRAINT_PRIMARYKEY, MISMATCH, RANGE
  test.each([1, 18, 1555, 20, 25])('with code %d are our own mistakes and stay unchanged', (code) => {
    const error = sqliteError(code);
    expect(translate(error)).toBe(error);
  });

  test.each([new Error('another'), 'a text', null, undefined, {}])(
    'that are not from SQLite stay unchanged: %p',
    (error) => {
      expect(translate(error)).toBe(error);
      expect(isBusy(error)).toBe(false);
    },
  );

  test('are translated by runStatements', () => {
    expect(runStatements(() => 5)).toBe(5);
    const question = () => {
      throw sqliteError(13);
    };
    expect(() => runStatements(question)).toThrow(StorageUnavailableError);
  });

  test('that mean "locked" are recognised by their primary code', () => {
    expect([5, 6, 261, 517, 10, 13].map((code) => isBusy(sqliteError(code)))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
