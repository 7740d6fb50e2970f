import { describe, expect, test } from '@jest/globals';
import { rateLimitOf, retryAfterOf } from './rate-limit.ts';

function replyWith(headers: Record<string, string>) {
  return { headers: new Headers(headers) };
}

describe('the rate limit of a response', () => {
  const complete = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1796126460' };

  test('contains its three headers, with the reset as a Date', () => {
    const reset = new Date('2026-12-01T12:01:00Z');
    expect(rateLimitOf(replyWith(complete))).toEqual({ limit: 60, remaining: 0, reset });
  });

  test.each(Object.keys(complete))('is undefined without %s', (name) => {
    const { [name]: _, ...others }: Record<string, string> = complete;
    expect(rateLimitOf(replyWith(others))).toBeUndefined();
  });

  test.each(['', '-1', '1.5', 'many', '60, 60'])('is undefined if a header is %j', (value) => {
    expect(rateLimitOf(replyWith({ ...complete, 'X-RateLimit-Remaining': value }))).toBeUndefined();
  });
});

describe('Retry-After in milliseconds', () => {
  const date = 'Tue, 01 Dec 2026 12:00:10 GMT';
  test.each([
    ['is a number of seconds', '42', 42_000],
    ['may be 0', '0', 0],
    ['may have a fraction', '1.5', 1_500],
    ['is not negative', '-1', 0],
    ['is a date, relative to the Date of the response', 'Tue, 01 Dec 2026 12:00:30 GMT', 20_000],
    ['is a date in the past', 'Tue, 01 Dec 2026 12:00:00 GMT', 0],
    ['is something else', 'soon', undefined],
    ['is empty', '', undefined],
  ])('%s: %j', (_, value, milliseconds) => {
    expect(retryAfterOf(replyWith({ 'Retry-After': value, Date: date }))).toBe(milliseconds);
  });

  test('is undefined if the header is missing, or is a date in a response without Date', () => {
    expect(retryAfterOf(replyWith({ Date: date }))).toBeUndefined();
    expect(retryAfterOf(replyWith({ 'Retry-After': 'Tue, 01 Dec 2026 12:00:30 GMT' }))).toBeUndefined();
  });
});
