import { request as httpRequest } from 'node:http';
import { type OperationId, plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { addressOf, type CallParts, NOON, noteReply, type TestServer } from '../harness.ts';

/** How often, and how large: 429 and 431. */
export function describeQuota(id: OperationId, valid: CallParts, server: () => TestServer): void {
  test('429: one request more than the plan has per minute', async () => {
    const key = await server().createKey('free');
    const { perMinute } = plans.free;
    for (let count = 1; count <= perMinute; count += 1) {
      const reply = await server().call(id, { ...valid, key });
      expect(reply.status).toBeLessThan(429);
      expect(reply.headers.get('x-ratelimit-remaining')).toBe(String(perMinute - count));
    }
    const reply = await server().call(id, { ...valid, key });
    expect(reply.status).toBe(429);
    expect(reply.body).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(reply.headers.get('x-ratelimit-limit')).toBe(String(perMinute));
    expect(reply.headers.get('x-ratelimit-reset')).toBe(String(NOON / 1_000 + 50));
    expect(reply.headers.get('retry-after')).toBe('50');
  });

  test('431: too large headers are refused', async () => {
    const status = await statusWithHeader(addressOf(server().url, id, valid), server().key, 'x'.repeat(20_000));
    expect(status).toBe(431);
    noteReply(id, status);
  });
}

function statusWithHeader(address: string, key: string, value: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      address,
      { headers: { authorization: `Bearer ${key}`, 'x-large': value } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    request.on('error', reject);
    request.end();
  });
}
