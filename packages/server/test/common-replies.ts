import { request as httpRequest } from 'node:http';
import { type OperationId, plans } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../src/operations/index.ts';
import { openStorage } from '../src/storage/open.ts';
import { type Storage, StorageUnavailableError } from '../src/storage/storage.ts';
import { addressOf, type CallParts, NOON, noteReply, startTestServer, type TestServer } from './harness.ts';

/**
 * The replies that every operation can give, whatever it does: each operation's test runs these with one valid request.
 */
export function describeCommonReplies(id: OperationId, valid: CallParts): void {
  describe(`${id}: what every operation answers`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer();
    });
    afterAll(() => server.stop());

    describeKeys(id, valid, () => server);
    describeQuota(id, valid, () => server);

    test('431: too large headers are refused', async () => {
      const status = await statusWithHeader(addressOf(server.url, id, valid), server.key, 'x'.repeat(20_000));
      expect(status).toBe(431);
      noteReply(id, status);
    });
  });

  describeFaults(id, valid);
}

function describeKeys(id: OperationId, valid: CallParts, server: () => TestServer): void {
  test('401: without a key, with the scheme to use', async () => {
    const reply = await server().call(id, { ...valid, key: null });
    expect(reply.status).toBe(401);
    expect(reply.body).toMatchObject({ code: 'api_key_missing', status: 401 });
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="animal-store"');
  });

  test('401: unknown, incomplete, expired and revoked keys all look the same', async () => {
    const expired = await server().keys.create({ plan: 'free', mode: 'test', expiresIn: 1_000 });
    const revoked = await server().keys.create({ plan: 'free', mode: 'test' });
    const elsewhere = await startTestServer();
    const unknown = elsewhere.key;
    await elsewhere.stop();
    await server().keys.revoke(revoked.key.id);
    server().clock.now = NOON + 2_000;
    const bodies = new Set<string>();
    for (const key of [unknown, unknown.slice(0, -1), 'nonsense', expired.secret, revoked.secret]) {
      const reply = await server().call(id, { ...valid, key });
      expect([key.slice(0, 9), reply.status]).toEqual([key.slice(0, 9), 401]);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="animal-store", error="invalid_token"');
      bodies.add(reply.text);
    }
    expect(bodies.size).toBe(1);
    server().clock.now = NOON;
  });

  test('401: another scheme, or a key with something behind it', async () => {
    for (const authorization of [`Basic ${server().key}`, server().key, `Bearer ${server().key} more`, 'Bearer']) {
      const reply = await server().call(id, { ...valid, key: null, headers: { authorization } });
      expect(reply.status).toBe(401);
      expect(reply.body.code).toBe('api_key_invalid');
    }
  });

  test('the scheme may be written in any case', async () => {
    const reply = await server().call(id, {
      ...valid,
      key: null,
      headers: { authorization: `bearer ${server().key}` },
    });
    expect(reply.status).not.toBe(401);
  });
}

function describeQuota(id: OperationId, valid: CallParts, server: () => TestServer): void {
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
}

/** Faults of ours: an exception in the operation, a storage that does not answer. */
function describeFaults(id: OperationId, valid: CallParts): void {
  test(`500: ${id} that throws answers without internals, and the cause is in the log under the request id`, async () => {
    const failing = async () => {
      throw new Error('the secret cause');
    };
    const server = await startTestServer({ operations: { ...operations, [id]: failing } });
    const reply = await server.call(id, valid);
    expect(reply.status).toBe(500);
    expect(reply.body.code).toBe('internal_error');
    expect(reply.text).not.toContain('secret cause');
    expect(server.log()).toContain('the secret cause');
    expect(server.log()).toContain(reply.headers.get('x-request-id'));
    expect((await server.call(id, valid)).status).toBe(500);
    await server.stop();
  });

  test(`503: ${id} while the storage does not answer, with when to try again`, async () => {
    const storage = await openStorage('sqlite::memory:');
    const server = await startTestServer({ storage: brokenCatalogue(storage) });
    const reply = await server.call(id, valid);
    expect(reply.status).toBe(503);
    expect(reply.body.code).toBe('service_unavailable');
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(reply.text).not.toContain('disk on fire');
    await server.stop();
  });
}

/** A storage whose keys work, so that the caller gets in, and whose catalogue does not. */
function brokenCatalogue(storage: Storage): Storage {
  const fail = async () => {
    throw new StorageUnavailableError(new Error('disk on fire'));
  };
  const reader = new Proxy(storage.reader, { get: () => fail });
  return {
    reader,
    transaction: fail,
    keys: storage.keys,
    usage: storage.usage,
    forgetReplies: (before) => storage.forgetReplies(before),
    ping: () => storage.ping(),
    close: () => storage.close(),
  };
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
