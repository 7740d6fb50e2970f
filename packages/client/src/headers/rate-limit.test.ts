import { describe, expect, test } from '@jest/globals';
import { rateLimitOf, retryAfterOf } from './rate-limit.ts';

const now = Date.parse('2026-12-01T12:00:10Z');

function replyWith(headers: Record<string, string>) {
  return { headers: new Headers(headers) };
}

describe('the rate limit of a reply', () => {
  const complete = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1796126460' };

  test('is its three headers, the reset as a Date', () => {
    const reset = new Date('2026-12-01T12:01:00Z');
    expect(rateLimitOf(replyWith(complete))).toEqual({ limit: 60, remaining: 0, reset });
  });

  test.each(Object.keys(complete))('is not known without %s', (name) => {
    const { [name]: _, ...others }: Record<string, string> = complete;
    expect(rateLimitOf(replyWith(others))).toBeUndefined();
  });

  test.each(['', '-1', '1.5', 'many', '60, 60'])('is not known from %j', (value) => {
    expect(rateLimitOf(replyWith({ ...complete, 'X-RateLimit-Remaining': value }))).toBeUndefined();
  });
});

describe('Retry-After', () => {
  test.each([
    ['is seconds', '42', 42],
    ['may be none', '0', 0],
    ['is a date', 'Tue, 01 Dec 2026 12:00:30 GMT', 20],
    ['is a date that has passed', 'Tue, 01 Dec 2026 12:00:00 GMT', 0],
    ['is nothing known', 'soon', undefined],
    ['is empty', '', undefined],
  ])('%s: %j', (_, value, seconds) => {
    expect(retryAfterOf(replyWith({ 'Retry-After': value }), now)).toBe(seconds);
  });

  test('is left out', () => {
    expect(retryAfterOf(replyWith({}), now)).toBeUndefined();
  });
});
