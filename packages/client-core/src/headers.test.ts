import { describe, expect, test } from '@jest/globals';
import { linkOf, rateLimitOf, retryAfterOf } from './headers.ts';

test.each([
  ['a later one', '<x>; rel="deprecation"; type="text/html", <y>; rel="next"', 'y'],
  ['without quotes', '<x>;rel=next', 'x'],
  ['in capitals', '<x>; REL="NEXT"', 'x'],
  ['one of several relations', '<x>; rel="prev next"', 'x'],
  ['the first of two', '<x>; rel=next, <y>; rel=next', 'x'],
  ['a comma and a semicolon in an address', '<x?a=1,2;3>; rel="next"', 'x?a=1,2;3'],
  ['a comma in a parameter', '<x>; title="a, b"; rel="next"', 'x'],
  ['other relations only', '<x>; rel="nextish", <y>; rel="prev"', undefined],
  ['a relation named elsewhere', '<x>; title="next"', undefined],
  ['a text that is not a link', 'next', undefined],
])('the next page by %s', (_, value, address) => {
  expect(linkOf({ headers: new Headers({ Link: value }) }, 'next')).toBe(address);
});

test('a long header that is not a link is parsed quickly', () => {
  const start = performance.now();
  linkOf({ headers: new Headers({ Link: `<x>; "${'a, "'.repeat(10_000)}` }) }, 'next');
  expect(performance.now() - start).toBeLessThan(5_000);
});

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
