import { anonymousLimits, operationFacts as facts, type OperationId } from '@animal-store/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { operations } from '../../src/operations/index.ts';
import { type CallParts, newIdempotencyKey, startTestServer, type TestServer } from '../harness.ts';
import { expectRequestTimeout } from './body.ts';
import { precededBy, type Requests } from './idempotency.ts';
import { expectHeadersTooLarge } from './quota.ts';

/** One request for each response that follows from the contract, all to one server. */
export function describeEachCommonResponse(id: OperationId, valid: CallParts, requests: Requests | undefined): void {
  describe(`${id}: each response that follows from the contract`, () => {
    const nothing = async () => {};
    /** Runs before the operation, and can make it fail. */
    let before: () => Promise<void> = nothing;
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer({
        operations: { ...operations, [id]: precededBy(id, () => before()) },
      });
    });
    afterEach(() => {
      before = nothing;
    });
    afterAll(() => server.stop());

    async function expectError(parts: CallParts, status: number, code: string): Promise<void> {
      const response = await server.call(id, { ...valid, ...parts });
      expect([response.status, response.body.code]).toEqual([status, code]);
    }

    if (facts[id].access === 'public') {
      test('429 over the limit of the address', async () => {
        let last = await server.call(id, valid);
        for (let count = 0; count < anonymousLimits.perMinute; count += 1) last = await server.call(id, valid);
        expect([last.status, last.body.code]).toEqual([429, 'rate_limited']);
        server.clock.now += 60_000;
      });
    } else {
      test('401 without a key', () => expectError({ key: null }, 401, 'api_key_missing'));

      test('429 over the limit of the key', async () => {
        const { secret } = await server.keys.create({ plan: 'enterprise', perMinute: 1, perDay: 1 });
        expect((await server.call(id, { ...valid, key: secret })).status).not.toBe(429);
        await expectError({ key: secret }, 429, 'rate_limited');
      });
    }

    if (facts[id].access === 'write') {
      test('403 for a key with the scope read', async () => {
        const { secret } = await server.keys.create({ plan: 'business', scope: 'read' });
        await expectError({ key: secret }, 403, 'insufficient_scope');
      });
    }

    test('431 for large headers', () => expectHeadersTooLarge(id, valid, server));

    test('500 when the operation throws', () => {
      before = () => Promise.reject(new Error('the secret cause'));
      return expectError({}, 500, 'internal_error');
    });

    test('503 when the storage does not answer', () => {
      before = () => Promise.reject(new StorageUnavailableError(new Error('disk on fire')));
      return expectError({}, 503, 'service_unavailable');
    });

    if (facts[id].negotiates) {
      test('406 for a media type that the operation cannot return', () =>
        expectError({ headers: { ...valid.headers, accept: 'application/x-unknown' } }, 406, 'not_acceptable'));
    }

    const [media] = Object.values(facts[id].requestBody?.mediaTypes ?? {});
    if (media !== undefined) {
      if (media.kind === 'json') {
        test('400 for a body that is not JSON', () => expectError({ body: '{' }, 400, 'invalid_json'));
      }
      test('408 for a body that stops arriving', () => expectRequestTimeout(id, valid));
      test('413 for a large body', () => expectError({ body: 'x'.repeat(media.maxBytes + 1) }, 413, 'body_too_large'));
      test('415 for another content type', () =>
        expectError(
          { headers: { ...valid.headers, 'content-type': 'application/x-unknown' } },
          415,
          'unsupported_media_type',
        ));
    }

    if (requests === undefined) return;

    test('Idempotency-Key: the first response again, 409 while the first request runs, 422 for another request', async () => {
      const { first, other } = await requests(server);
      const once = { 'idempotency-key': newIdempotencyKey() };
      const withKey = (parts: CallParts) => ({ ...parts, headers: { ...parts.headers, ...once } });
      const gate = Promise.withResolvers<void>();
      const entered = Promise.withResolvers<void>();
      before = () => {
        entered.resolve();
        return gate.promise;
      };
      const running = server.call(id, withKey(first));
      await entered.promise;
      await expectError(withKey(first), 409, 'idempotency_key_in_use');
      gate.resolve();
      const response = await running;
      expect(response.status).toBeLessThan(300);
      await expectError(withKey(other), 422, 'idempotency_key_reused');
      const again = await server.call(id, withKey(first));
      expect([again.status, again.text]).toEqual([response.status, response.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    });
  });
}
