import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { ApiError, invalidRequest, statusOf } from './api-error.ts';
import { problemOf } from './error-body.ts';

describe('an ApiError', () => {
  test('has the three fields of the specification in its body', () => {
    const error = new ApiError('note_not_found', 'No note has the ID 42.');
    expect(statusOf(error, contract)).toBe(404);
    expect(problemOf(error, contract, '/v1')).toStrictEqual({
      code: 'note_not_found',
      message: 'No note has the ID 42.',
      status: 404,
      documentation: '/v1/docs/errors.html#note_not_found',
    });
    expect(error.headers).toEqual({});
  });

  test('cuts a long text of a client between two characters', () => {
    const [detail] = invalidRequest([{ where: `query/${'x'.repeat(193)}🐈`, what: 'is unknown' }]).details ?? [];
    expect(detail?.where).toBe(`query/${'x'.repeat(193)}`);
  });

  test('does not contain its cause in the response', () => {
    const error = new ApiError('internal_error', 'x', { cause: new Error('secret'), headers: { 'Retry-After': '1' } });
    expect(error.cause).toEqual(new Error('secret'));
    expect(JSON.stringify(problemOf(error, contract, '/v1'))).not.toContain('secret');
    expect(error.headers).toEqual({ 'Retry-After': '1' });
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

  test('names every problem, in its message and in its details', () => {
    const error = invalidRequest([problem(1), problem(2)]);
    expect(error.message).toBe('The request is invalid: query/q1 is wrong (1); query/q2 is wrong (2).');
    expect(problemOf(error, contract, '/v1')).toMatchObject({
      code: 'invalid_request',
      status: 400,
      details: [problem(1), problem(2)],
    });
  });

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
