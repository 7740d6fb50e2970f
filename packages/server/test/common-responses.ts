import { anonymousLimits, limits, type OperationId, plans } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../service/src/storage/storage.ts';
import {
  type CommonSetup,
  describeCommonResponses as describeEach,
} from '../../testing/src/service/common-responses.ts';
import { operations } from '../src/operations/index.ts';
import { describeIdempotency, precededBy, type Requests } from './common/idempotency.ts';
import { operationFacts as facts } from './contract.ts';
import { apiFacts, type CallParts, NOON, startTestServer, type TestServer } from './harness.ts';

/** One operation that reads and one that writes. The code behind these responses does not know which operation it serves. */
const testedInFull: ReadonlySet<OperationId> = new Set(['listPets', 'createPet']);

/**
 * Tests the responses that follow from the contract alone: keys, quotas and faults for every operation, bodies and
 * Idempotency-Keys for those that have them. Each operation's test calls this: all get one request for each of these
 * responses, and those in `testedInFull` the other cases.
 *
 * @param valid a request that is valid by contract; it need not succeed
 * @param requests for an operation with an Idempotency-Key: a request that succeeds, and another one
 */
export function describeCommonResponses(id: OperationId, valid: CallParts, requests?: Requests): void {
  if (facts[id].idempotent && requests === undefined) {
    throw new Error(`${id} has an Idempotency-Key: describeCommonResponses needs requests.`);
  }
  describeEach(setup, id, valid, requests);
  if (testedInFull.has(id)) describeOtherCases(id, valid, requests);
}

function describeOtherCases(id: OperationId, valid: CallParts, requests: Requests | undefined): void {
  describe(`${id}: other cases of what follows from the contract`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer();
    });
    afterAll(() => server.stop());

    describeKeys(id, valid, () => server);
    describeQuota(id, valid, () => server);
    describeFault(id, valid);
    if (facts[id].requestBody !== null) describeBody(id, valid, () => server);
    if (requests !== undefined) describeIdempotency(id, requests, () => server);
  });
}

const setup: CommonSetup<OperationId, TestServer> = {
  api: apiFacts,
  anonymousLimits,
  limited: { key: { plan: 'enterprise', perMinute: 1, perDay: 1 }, perMinute: 1 },
  startWith: (id, before) => startTestServer({ operations: { ...operations, [id]: precededBy(id, before) } }),
  // A second for the headers, too, which must arrive in that time on a busy machine.
  startImpatient: () => startTestServer({ timeouts: { headers: 1_000, request: 1_000 } }),
  storageError: () => new StorageUnavailableError(new Error('disk on fire')),
};

/** Requests without a valid API key: 401. */
function describeKeys(id: OperationId, valid: CallParts, server: () => TestServer): void {
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

/** Too many requests: 429. */
function describeQuota(id: OperationId, valid: CallParts, server: () => TestServer): void {
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
}

/** The responses to bodies that an operation cannot take: 400, 413, 415, and 401 before all of them. */
function describeBody(id: OperationId, valid: CallParts, server: () => TestServer): void {
  test.each([
    ['nested too deeply', '['.repeat(30_000)],
    ['not encoded as UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ])('400: a body %s is not JSON', async (_, body) => {
    const response = await server().call(id, { ...valid, body });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_json']);
  });

  test('400: a missing body is reported as such', async () => {
    const response = await server().call(id, { ...valid, body: undefined });
    expect(response.body.details).toEqual([{ where: 'body', what: 'is required' }]);
  });

  test('401: without a key the body is ignored, whether it is malformed, huge or of the wrong type', async () => {
    for (const call of [
      { body: '{' },
      { body: 'x'.repeat(300_000) },
      { body: 'x', headers: { 'content-type': 'text/plain' } },
    ]) {
      expect((await server().call(id, { ...valid, ...call, key: null })).status).toBe(401);
    }
  });

  test('413: the message says how large a body may be', async () => {
    const response = await server().call(id, { ...valid, body: 'x'.repeat(limits.bodyBytes + 1) });
    expect(response.body.message).toContain(String(limits.bodyBytes));
  });

  test('415: a compressed body is refused', async () => {
    const response = await server().call(id, { ...valid, headers: { 'content-encoding': 'gzip' } });
    expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type']);
  });
}

/** An operation that throws: 500. */
function describeFault(id: OperationId, valid: CallParts): void {
  test('500: when the operation throws, the response reveals nothing, and the log has the cause under the request ID', async () => {
    const failing = async () => {
      throw new Error('the secret cause');
    };
    await using server = await startTestServer({ operations: { ...operations, [id]: failing } });
    const response = await server.call(id, valid);
    expect(response.status).toBe(500);
    expect(response.body.code).toBe('internal_error');
    expect(response.text).not.toContain('secret cause');
    expect(server.log()).toContain('the secret cause');
    expect(server.log()).toContain(response.headers.get('x-request-id'));
    expect((await server.call(id, valid)).status).toBe(500);
  });
}
