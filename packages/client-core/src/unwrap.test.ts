import { describe, expect, test } from '@jest/globals';
import { ApiError, RateLimitError } from './errors.ts';
import { toApiError, unwrap } from './unwrap.ts';

const limits = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1796126460' };

function reply(status: number, headers: Record<string, string> = {}) {
  return new Response(null, { status, headers });
}

test('unwrap returns the data of a success', async () => {
  const response = reply(200);
  expect(await unwrap(Promise.resolve({ data: [1], response }))).toEqual([1]);
  expect(await unwrap({ data: 0, response })).toBe(0);
});

test('unwrap throws a refusal, with all of its properties', async () => {
  const details = [{ where: 'query/limit', what: 'must be <= 100' }];
  const documentation = 'https://api.example/docs/errors.html#invalid_request';
  const error = { code: 'invalid_request', message: 'The request is invalid.', status: 400, details, documentation };
  const response = reply(400, { ...limits, 'X-Request-Id': 'a1' });
  const thrown = await unwrap({ error, response }).catch((caught: unknown) => caught);
  expect(thrown).toBeInstanceOf(ApiError);
  expect(thrown).not.toBeInstanceOf(RateLimitError);
  const rateLimit = { limit: 60, remaining: 0, reset: new Date('2026-12-01T12:01:00Z') };
  expect(thrown).toMatchObject({ ...error, name: 'ApiError', requestId: 'a1', rateLimit });
});

describe('a body that is not in the contract becomes an ApiError:', () => {
  const message = 'Not an API response (502).';
  const unknown = { code: 'unexpected_response', message, status: 502, details: [] };
  test.each([
    ['a newer code', { code: 'too_early', message: 'Later.' }, { code: 'too_early', message: 'Later.', details: [] }],
    [
      'a problem of RFC 9457',
      { type: '/docs', title: 'Too early', detail: 'Later.', code: 'too_early', status: 425 },
      { code: 'too_early', message: 'Later.', documentation: '/docs', status: 502 },
    ],
    ["a proxy's problem", { title: 'Bad gateway' }, { ...unknown, message: 'Bad gateway' }],
    ["a proxy's page", '<h1>Bad gateway</h1>', unknown],
    ['null', null, unknown],
    ['fields of other types', { code: 7, message: [], details: 'none' }, unknown],
  ])('%s', (_, body, error) => {
    expect(toApiError(body, reply(502))).toMatchObject(error);
  });
});

describe('a 429 becomes a RateLimitError', () => {
  test.each([
    ['of the minute', 'rate_limited', '42', 'minute'],
    ['of the day', 'rate_limited', '43189', 'day'],
    ['of a ban', 'key_banned', '60', 'ban'],
    ['with a newer code', 'too_busy', '5', 'minute'],
  ])('%s', (_, code, retryAfter, scope) => {
    const error = toApiError({ code, message: 'Wait.' }, reply(429, { ...limits, 'Retry-After': retryAfter }));
    expect(error).toBeInstanceOf(RateLimitError);
    const resetAt = new Date('2026-12-01T12:01:00Z');
    expect(error).toMatchObject({
      name: 'RateLimitError',
      code,
      scope,
      resetAt,
      retryAfter: Number(retryAfter) * 1_000,
    });
  });

  test('that gets its time from Retry-After alone', () => {
    const before = Date.now();
    const error = toApiError(undefined, reply(429, { 'Retry-After': '20' }));
    const resetAt = error instanceof RateLimitError ? error.resetAt.getTime() : 0;
    expect(resetAt).toBeGreaterThanOrEqual(before + 20_000);
    expect(resetAt).toBeLessThanOrEqual(Date.now() + 20_000);
  });
});
