import { describe, expect, test } from '@jest/globals';
import {
  ApiError,
  isApiError,
  isNetworkError,
  isRateLimitError,
  isTimeoutError,
  NetworkError,
  RateLimitError,
  TimeoutError,
  toApiError,
} from '../src/index.ts';

const reply = (status: number) => new Response(null, { status });

describe('the guards', () => {
  const guards = { isApiError, isRateLimitError, isNetworkError, isTimeoutError };
  const that = (error: unknown) => Object.entries(guards).flatMap(([name, guard]) => (guard(error) ? [name] : []));

  test.each([
    ['an ApiError', toApiError(undefined, reply(404)), ['isApiError']],
    ['a RateLimitError', toApiError(undefined, reply(429)), ['isApiError', 'isRateLimitError']],
    ['a NetworkError', new NetworkError(), ['isNetworkError']],
    ['a TimeoutError', new TimeoutError(), ['isNetworkError', 'isTimeoutError']],
    ['an error of the platform', new DOMException('', 'TimeoutError'), []],
    ['no error', 'ApiError', []],
    ['null', null, []],
    ['undefined', undefined, []],
  ])('know %s', (_, error, names) => {
    expect(that(error)).toEqual(names);
  });

  test.each(['contractFirst', 'animalStore'])('know the errors of another copy by %s', (marker) => {
    expect(that(Object.assign(new Error(), { [marker]: ['api'] }))).toEqual(['isApiError']);
    expect(that(Object.assign(new Error(), { [marker]: 'api' }))).toEqual([]);
  });
});

test('the errors that the client throws are instances of the exported classes', () => {
  expect(toApiError(undefined, reply(404))).toBeInstanceOf(ApiError);
  expect(toApiError(undefined, reply(429))).toBeInstanceOf(RateLimitError);
});
