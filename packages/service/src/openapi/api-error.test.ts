import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { ApiError, invalidRequest } from './api-error.ts';
import { problemOf } from './error-body.ts';

describe('an ApiError', () => {
  test('cuts a long text of a client between two characters', () => {
    const [detail] = invalidRequest([{ where: `query/${'x'.repeat(193)}🐈`, what: 'is unknown' }]).details ?? [];
    expect(detail?.where).toBe(`query/${'x'.repeat(193)}`);
  });

  test('has a stack trace for the log if it is a 5xx, and none otherwise', () => {
    const limit = Error.stackTraceLimit;
    expect(new ApiError('internal_error', 'x').stack).toContain('api-error.test.ts');
    expect(new ApiError('note_not_found', 'x').stack).toBe('ApiError: x');
    expect(Error.stackTraceLimit).toBe(limit);
  });
});

describe('an invalid request', () => {
  const problem = (number: number) => ({ where: `query/q${number}`, what: `is wrong (${number})` });

  test('names the first 20 problems, and the number of the others', () => {
    const error = invalidRequest(Array.from({ length: 5_000 }, (_, number) => problem(number)));
    expect(error.details).toHaveLength(20);
    expect(error.message).toMatch(/query\/q19 is wrong \(19\); and 4980 more\.$/);
  });

  test('names exactly 20 problems without mentioning more', () => {
    expect(invalidRequest(Array.from({ length: 20 }, (_, number) => problem(number))).message).not.toContain('more');
  });

  test('does not repeat long texts', () => {
    const error = invalidRequest([{ where: `body/${'k'.repeat(30_000)}`, what: 'x'.repeat(30_000) }]);
    expect(JSON.stringify(problemOf(error, contract, '/v1')).length).toBeLessThan(1_000);
  });
});
