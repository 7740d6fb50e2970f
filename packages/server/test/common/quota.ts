import { operations as facts, type OperationId, plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { type CallParts, NOON, recordResponse, type TestServer, urlOf } from '../harness.ts';
import { parseResponse } from '../raw-response.ts';
import { sendBytes } from '../wire.ts';

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

  test('431: large headers are refused', () => expectHeadersTooLarge(id, valid, server()));
}

/** Sends a request with a header of 20,000 bytes. */
export async function expectHeadersTooLarge(id: OperationId, valid: CallParts, server: TestServer): Promise<void> {
  const url = urlOf(server.url, id, valid);
  const { status, headers, text } = parseResponse(await sendLargeHeader(url, facts[id].method, server.key));
  expect([status, JSON.parse(text).code]).toEqual([431, 'headers_too_large']);
  expect(headers.get('connection')).toBe('close');
  recordResponse(id, status, headers, text);
}

function sendLargeHeader(url: string, method: string, key: string): Promise<string> {
  const { origin, pathname, search } = new URL(url);
  return sendBytes(
    origin,
    `${method} ${pathname}${search} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
  );
}
