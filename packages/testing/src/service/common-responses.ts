import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ApiFacts,
  type CallParts,
  contentTypeOf,
  credentialsOf,
  type OperationFacts,
  readResponse,
  type TestKey,
  type TestResponse,
  type TestServer,
  urlOf,
} from './harness.ts';
import { parseResponse, sendBytes } from './wire.ts';

/** Two requests for an operation with an Idempotency-Key: one that succeeds, and another one. */
export type Requests<Server> = (server: Server) => Promise<{ first: CallParts; other: CallParts }>;

/** The server of an API, as its tests start it. */
export type CommonSetup<Id extends string, Server extends TestServer<Id>> = {
  api: ApiFacts<Id>;
  /** Null if requests without a key are not counted. */
  anonymousLimits: { perMinute: number } | null;
  /** A key with a small quota, and the number of requests that it allows per minute; undefined if keys are not counted. */
  limited: { key: TestKey; perMinute: number } | undefined;
  /** Starts a server on which a function runs before the operation, and may make it fail. */
  startWith: (id: Id, before: () => Promise<void>) => Promise<Server>;
  /** Starts a server that waits 300 ms for a request. */
  startImpatient: () => Promise<Server>;
  /** What the storage throws if it does not answer; undefined leaves out its test. */
  storageError?: () => Error;
};

/**
 * Tests each response that follows from the contract alone with one request: keys, scopes, quotas, bodies, idempotency and faults.
 *
 * @param valid a request that is valid by contract; it need not succeed
 */
export function describeCommonResponses<Id extends string, Server extends TestServer<Id>>(
  setup: CommonSetup<Id, Server>,
  id: Id,
  valid: CallParts,
  requests: Requests<Server> | undefined,
): void {
  const facts: OperationFacts = setup.api.operations[id];
  describe(`${id}: each response that follows from the contract`, () => {
    const nothing = async () => {};
    /** Runs before the operation, and can make it fail. */
    let before: () => Promise<void> = nothing;
    let server: Server;
    beforeAll(async () => {
      server = await setup.startWith(id, () => before());
    });
    afterEach(() => {
      before = nothing;
    });
    afterAll(() => server.stop());

    async function expectError(parts: CallParts, status: number, code: string): Promise<void> {
      expectCode(facts, await server.call(id, { ...valid, ...parts }), status, code);
    }

    const { anonymousLimits, limited } = setup;
    if (facts.access === 'public' && anonymousLimits !== null) {
      test('429 over the limit of the address', async () => {
        let last = await server.call(id, valid);
        for (let count = 0; count < anonymousLimits.perMinute; count += 1) last = await server.call(id, valid);
        expectCode(facts, last, 429, 'rate_limited');
        server.clock.now += 60_000;
      });
    }

    if (facts.access !== 'public') {
      test('401 without a key', () => expectError({ key: null }, 401, 'api_key_missing'));
    }

    if (facts.access !== 'public' && limited !== undefined) {
      test('429 over the limit of the key', async () => {
        const { secret } = await server.keys.create(limited.key);
        for (let count = 0; count < limited.perMinute; count += 1) {
          expect((await server.call(id, { ...valid, key: secret })).status).not.toBe(429);
        }
        await expectError({ key: secret }, 429, 'rate_limited');
      });
    }

    // A key of the service always has the scope read.
    if (
      facts.security.some((schemes) => Object.values(schemes).some((scopes) => scopes.some((one) => one !== 'read')))
    ) {
      const [title, scope] = facts.access === 'write' ? ['with the scope read', 'read'] : ['without the scope', 'none'];
      test(`403 for a key ${title}`, async () => {
        const { plan } = setup.api;
        const { secret } = await server.keys.create({ ...(plan === undefined ? {} : { plan }), scope });
        await expectError({ key: secret }, 403, 'insufficient_scope');
      });
    }

    const { deprecation } = facts;
    if (deprecation !== null) {
      test('410 from the sunset on', async () => {
        const { now } = server.clock;
        server.clock.now = Date.parse(deprecation.sunset);
        await expectError({}, 410, 'operation_removed');
        server.clock.now = now;
      });
    }

    test('431 for large headers', () => expectHeadersTooLarge(setup.api, id, valid, server));

    test('500 when the operation throws', () => {
      before = () => Promise.reject(new Error('the secret cause'));
      return expectError({}, 500, 'internal_error');
    });

    const { storageError } = setup;
    if (storageError !== undefined) {
      test('503 when the storage does not answer', () => {
        before = () => Promise.reject(storageError());
        return expectError({}, 503, 'service_unavailable');
      });
    }

    if (facts.negotiates) {
      test('406 for a media type that the operation cannot return', () =>
        expectError({ headers: { ...valid.headers, accept: 'application/x-unknown' } }, 406, 'not_acceptable'));
    }

    const [media] = Object.values(facts.requestBody?.mediaTypes ?? {});
    if (media !== undefined) {
      if (media.kind === 'json') {
        test('400 for a body that is not JSON', () => expectError({ body: '{' }, 400, 'invalid_json'));
      }
      test('408 for a body that stops arriving', async () => {
        await using impatient = await setup.startImpatient();
        await expectRequestTimeout(setup.api, id, valid, impatient);
      });
      test('413 for a large body', () => expectError({ body: 'x'.repeat(media.maxBytes + 1) }, 413, 'body_too_large'));
      test('415 for another content type', () => {
        const headers = { ...valid.headers, 'content-type': 'application/x-unknown' };
        return expectError({ headers }, 415, 'unsupported_media_type');
      });
    }

    if (requests === undefined) return;

    test('Idempotency-Key: the first response again, 409 while the first request runs, 422 for another request', async () => {
      const { first, other } = await requests(server);
      const once = { 'idempotency-key': randomUUID() };
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

/** Errors in a form of the contract need not have the code of the server. */
function expectCode({ errors = {} }: OperationFacts, { status, body }: TestResponse, ...wanted: [number, string]) {
  const isOwn = [`${status}`, `${status}`.replace(/..$/, 'XX'), 'default'].some((one) => one in errors);
  expect([status, isOwn ? wanted[1] : body.code]).toEqual(wanted);
}

/** Sends a request with a header of 20,000 bytes. */
async function expectHeadersTooLarge<Id extends string>(
  api: ApiFacts<Id>,
  id: Id,
  valid: CallParts,
  { url, key }: TestServer<Id>,
): Promise<void> {
  const sent = { ...credentialsOf(api, id, key), 'x-large': 'x'.repeat(20_000) };
  const response = await sendFields(api, id, valid, url, sent, '');
  expectCode(api.operations[id], response, 431, 'headers_too_large');
  expect(response.headers.get('connection')).toBe('close');
}

/** Sends a request whose body stops after a byte, to a server that does not wait long. */
async function expectRequestTimeout<Id extends string>(
  api: ApiFacts<Id>,
  id: Id,
  valid: CallParts,
  { url, key }: TestServer<Id>,
): Promise<void> {
  const own = { ...credentialsOf(api, id, key), 'x-request-id': 'half', 'content-length': '50' };
  const headers = { 'content-type': contentTypeOf(api.operations[id]), ...valid.headers, ...own };
  const response = await sendFields(api, id, valid, url, headers, '{');
  expectCode(api.operations[id], response, 408, 'request_timeout');
  expect(response.headers.get('x-request-id')).toBe('half');
  expect(response.headers.get('connection')).toBe('close');
}

/** Sends a request with these header lines, which an HTTP library may refuse to send. */
async function sendFields<Id extends string>(
  api: ApiFacts<Id>,
  id: Id,
  valid: CallParts,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<TestResponse> {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { pathname, search } = new URL(urlOf(api, url, id, valid));
  const line = `${api.operations[id].method} ${pathname}${search} HTTP/1.1`;
  const parsed = parseResponse(await sendBytes(url, `${line}\r\nHost: a\r\n${fields.join('')}\r\n${body}`));
  const response = readResponse(parsed.status, parsed.headers, parsed.text);
  api.onResponse?.(id, response);
  return response;
}
