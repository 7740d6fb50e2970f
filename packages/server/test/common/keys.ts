import { operationFacts as facts, type OperationId, plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { expectHeadersTooLarge } from '../../../testing/src/service/common-responses.ts';
import { apiFacts, type CallParts, NOON, startTestServer, type TestServer } from '../harness.ts';

/** Requests without a valid API key: 401. */
export function describeKeys(id: OperationId, valid: CallParts, server: () => TestServer): void {
  test('401: the response to a request without a key names the scheme to use', async () => {
    const response = await server().call(id, { ...valid, key: null });
    expect(response.status).toBe(401);
    expect(response.body).toMatchObject({ code: 'api_key_missing', status: 401 });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="animal-store"');
  });

  test('401: unknown, incomplete, expired and revoked keys get the same response', async () => {
    const expired = await server().keys.create({ plan: 'free', expiresIn: 1_000 });
    const revoked = await server().keys.create({ plan: 'free' });
    await using elsewhere = await startTestServer();
    const unknown = elsewhere.key;
    await elsewhere.stop();
    await server().keys.revoke(revoked.key.id);
    server().clock.now = NOON + 2_000;
    const bodies = new Set<string>();
    for (const key of [unknown, unknown.slice(0, -1), 'nonsense', expired.secret, revoked.secret]) {
      const response = await server().call(id, { ...valid, key });
      expect([key.slice(0, 9), response.status]).toEqual([key.slice(0, 9), 401]);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="animal-store", error="invalid_token"');
      bodies.add(response.text);
    }
    expect(bodies.size).toBe(1);
    server().clock.now = NOON;
  });

  test('403: a key with the scope read cannot write, and the response names the required scope', async () => {
    const { secret } = await server().keys.create({ plan: 'business', scope: 'read' });
    const response = await server().call(id, { ...valid, key: secret });
    if (facts[id].access === 'read') {
      expect(response.status).toBeLessThan(300);
      return;
    }
    expect([response.status, response.body.code]).toEqual([403, 'insufficient_scope']);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="animal-store", error="insufficient_scope", scope="write"',
    );
  });

  test('401: another scheme, or a key followed by something else, is refused', async () => {
    const { key } = server();
    for (const [authorization, code] of [
      [`Bearer ${key} more`, 'api_key_invalid'],
      ['Bearer', 'api_key_invalid'],
      [`Basic ${key}`, 'api_key_missing'],
      [key, 'api_key_missing'],
    ] as const) {
      const response = await server().call(id, { ...valid, key: null, headers: { authorization } });
      expect([response.status, response.body.code]).toEqual([401, code]);
      expect(response.headers.get('www-authenticate')?.includes('error=')).toBe(code === 'api_key_invalid');
    }
  });

  test('the name of the scheme is case-insensitive', async () => {
    const response = await server().call(id, {
      ...valid,
      key: null,
      headers: { authorization: `bearer ${server().key}` },
    });
    expect(response.status).not.toBe(401);
  });
}

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
