import { describe, expect, test } from '@jest/globals';
import { defaults } from '../options.ts';
import { backoff, isRepeatable, retryDelay } from './retry.ts';

const half = () => 0.5;

function delayAfter(status: number, { retryAfter, failures = 1, refusals = 1 }: Partial<Parts> = {}) {
  return retryDelay({ status, retryAfter, failures, refusals }, defaults, half);
}
type Parts = { retryAfter: number | undefined; failures: number; refusals: number };

describe('a request is retried', () => {
  test.each([
    ['after no response', 0, undefined, 375],
    ['after 408', 408, undefined, 375],
    ['after 500', 500, undefined, 375],
    ['after 502', 502, undefined, 375],
    ['after 503', 503, undefined, 375],
    ['after 504', 504, undefined, 375],
    ['after a 503, not before its Retry-After', 503, 2_000, 2_375],
    ['after as long as a call may wait', 503, 90_000, 90_375],
    ['after a 429, when the gate allows it', 429, 42_000, 0],
    ['after a 429 without Retry-After', 429, undefined, 0],
    ['after a conflict with a request in progress', 409, 1_000, 1_375],
  ])('%s: %i with Retry-After %p', (_, status, retryAfter, delay) => {
    expect(delayAfter(status, { retryAfter })).toBe(delay);
  });
});

describe('a request is not retried', () => {
  test.each([200, 201, 400, 401, 404, 409, 410, 422, 501])('after %i', (status) => {
    expect(delayAfter(status)).toBeUndefined();
  });

  test.each([429, 503])('after %i if its Retry-After is longer than a call may wait', (status) => {
    expect(delayAfter(status, { retryAfter: 90_001 })).toBeUndefined();
  });

  test('after the maximum number of attempts', () => {
    const delays = [1, 2, 3].map((failures) => delayAfter(0, { failures }));
    expect(delays).toEqual([375, 750, undefined]);
  });

  test('after so many 429s that they cannot come from the API; until then, they do not count as failures', () => {
    expect(delayAfter(429, { failures: 9, refusals: 9 })).toBe(0);
    expect(delayAfter(429, { refusals: 10 })).toBeUndefined();
  });
});

test('backoff doubles up to its cap', () => {
  const longest = [1, 2, 3, 4, 5, 6, 60].map((attempt) => backoff(attempt, defaults, () => 1));
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
});

test('half of the backoff is random, so that retries together outlast a restart', () => {
  expect([0, 0.5, 0.75].map((number) => backoff(3, defaults, () => number))).toEqual([1_000, 1_500, 1_750]);
});

test.each([
  ['GET', {}, true],
  ['HEAD', {}, true],
  ['OPTIONS', {}, true],
  ['PUT', {}, true],
  ['DELETE', {}, true],
  ['POST', {}, false],
  ['PATCH', {}, false],
  ['POST', { 'Idempotency-Key': 'a' }, true],
  ['PATCH', { 'Idempotency-Key': 'a' }, true],
])('%s with the headers %j may be sent twice: %p', (method, headers, repeatable) => {
  expect(isRepeatable(new Request('http://a.example', { method, headers }))).toBe(repeatable);
});
