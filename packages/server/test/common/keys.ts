import { operationFacts as facts, type OperationId } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { type CallParts, NOON, startTestServer, type TestServer } from '../harness.ts';

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
