import { type OperationId, plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { expectHeadersTooLarge } from '../../../testing/src/service/common-responses.ts';
import { apiFacts, type CallParts, NOON, type TestServer } from '../harness.ts';

/** Too many requests and too large headers: 429 and 431. */
export function describeQuota(id: OperationId, valid: CallParts, server: () => TestServer): void {
  test('429: one request more than the plan allows per minute', async () => {
    const key = await server().createKey('free');
    const { perMinute } = plans.free;
    for (let count = 1; count <= perMinute; count += 1) {
      const response = await server().call(id, { ...valid, key });
      expect(response.status).toBeLessThan(429);
      expect(response.headers.get('x-ratelimit-remaining')).toBe(String(perMinute - count));
    }
    const response = await server().call(id, { ...valid, key });
    expect(response.status).toBe(429);
    expect(response.body).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(response.headers.get('x-ratelimit-limit')).toBe(String(perMinute));
    expect(response.headers.get('x-ratelimit-reset')).toBe(String(NOON / 1_000 + 50));
    expect(response.headers.get('retry-after')).toBe('50');
  });

  test('431: large headers are refused', () => expectHeadersTooLarge(apiFacts, id, valid, server()));
}
