import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { StorageUnavailableError } from '../storage.ts';
import { isAnswer, isClash, translate } from './errors.ts';

/** An error as the engine reports it. */
function reported(code: string): Error {
  return Object.assign(new pg.DatabaseError('...', 3, 'error'), { code, severity: 'ERROR' });
}

describe('an error of the engine', () => {
  test.each([
    ['08006', 'the connection failed'],
    ['25006', 'a replica only reads'],
    ['28P01', 'the password was changed'],
    ['3D000', 'the database was dropped'],
    ['40P01', 'a deadlock'],
    ['42501', 'a right was taken away'],
    ['53100', 'the disk is full'],
    ['53300', 'too many connections'],
    ['55P03', 'a lock was not free in time'],
    ['57014', 'a statement took too long'],
    ['57P01', 'an administrator ends the connection'],
    ['58030', 'the disk cannot be read'],
    ['XX001', 'data are damaged'],
  ])('%s, %s, becomes StorageUnavailableError', (code) => {
    const error = reported(code);
    expect(translate(error)).toEqual(new StorageUnavailableError(error));
  });

  test.each(['23505', '23503', '22003', '42P01', '42601'])('%s is our own mistake, and stays unchanged', (code) => {
    const error = reported(code);
    expect(translate(error)).toBe(error);
  });

  test.each([
    ['57P01', false],
    ['08006', false],
    ['57014', true],
    ['23505', true],
  ])('%s leaves the connection usable: %s', (code, usable) => {
    expect(isAnswer(reported(code))).toBe(usable);
  });

  test.each([
    ['40P01', true],
    ['40001', true],
    ['25006', true],
    ['55P03', false],
  ])('%s may not recur if the transaction runs again: %s', (code, clash) => {
    expect(isClash(reported(code))).toBe(clash);
  });
});

describe('other errors', () => {
  test.each([
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
  ])('of the network and the driver become StorageUnavailableError: $message', (error) => {
    expect(translate(error)).toEqual(new StorageUnavailableError(error));
    expect(isAnswer(error)).toBe(false);
  });

  test('of the program stay unchanged', () => {
    const error = new TypeError('x is not a function');
    expect(translate(error)).toBe(error);
  });
});
