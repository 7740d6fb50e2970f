import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { startRecordingServer } from '../../client-core/test/recording-server.ts';
import {
  type AnimalStoreOptions,
  type ClientEvent,
  createAnimalStore,
  isAbortError,
  isTimeoutError,
  unwrap,
} from '../src/index.ts';

type Answer = (response: ServerResponse) => unknown;

const json = { 'Content-Type': 'application/json' };
const html = { 'Content-Type': 'text/html' };

/** A client of a server that always gives this answer; it does not wait between attempts. */
async function serve(answer: Answer, options: Partial<AnimalStoreOptions> = {}) {
  const server = await startRecordingServer(answer);
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent) => void events.push(event);
  const store = createAnimalStore({ apiKey: 'a', baseUrl: server.url, firstDelay: 0, onEvent, ...options });
  const ends = () => events.filter(({ type }) => type === 'end');
  return { store, events, ends, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'X-Request-Id': 'r1', ...headers }).end(body);

describe('a response that does not come from the API is an error with code, message, status and requestId:', () => {
  test.each<[string, number, Answer]>([
    ['an empty 503', 503, answer(503)],
    ['an HTML page of a gateway', 502, answer(502, '<h1>Bad gateway</h1>', html)],
    ['a text', 500, answer(500, 'oops', { 'Content-Type': 'text/plain' })],
    ['JSON without a code', 400, answer(400, '{"fault":1}', json)],
    ['JSON that is not an object', 400, answer(400, 'null', json)],
    ['a redirect', 302, answer(302, '', { Location: 'https://example.com/' })],
    ['the sign-in page of a network', 200, answer(200, '<h1>Log in</h1>', html)],
    ['an empty JSON document', 200, answer(200, '', json)],
    ['broken JSON', 200, answer(200, '[{"id":1', json)],
    ['an unknown status', 299, answer(299, 'hm', html)],
    ['a status outside of the standard', 799, answer(799, 'hm', html)],
  ])('%s', async (_, status, reply) => {
    await using given = await serve(reply);
    const { data, error, response } = await given.store.GET('/pets');
    expect(data).toBeUndefined();
    const message = expect.stringMatching(/^Not an API response \(\d+\): .+\.$/);
    const attempts = [500, 502, 503].includes(status) ? 3 : 1;
    const facts = { idempotencyKey: undefined, attempts, sent: true };
    expect(error).toMatchObject({ code: 'unexpected_response', message, status, requestId: 'r1', ...facts });
    expect(response.status).toBe(status);
    await expect(unwrap({ error, response })).rejects.toMatchObject({ code: 'unexpected_response', attempts });
    expect(given.ends()).toMatchObject([{ operation: 'GET /pets', status, code: 'unexpected_response', attempts }]);
  });

  test('a redirect that a browser hides', async () => {
    await using given = await serve(answer(200), { fetch: async () => Response.error() });
    expect(await given.store.GET('/pets')).toMatchObject({
      error: { code: 'unexpected_response', status: 0, message: expect.stringContaining('redirect') },
    });
  });

  test('a body over maxResponseBytes', async () => {
    await using given = await serve(answer(200, `["${'x'.repeat(100)}"]`, json), { maxResponseBytes: 100 });
    const { error } = await given.store.GET('/pets');
    expect(error).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining('more than 100 bytes'),
    });
  });
});

test('an error of the API keeps its fields, and has those of the call', async () => {
  const body = { code: 'pet_not_found', message: 'No animal has this id.', status: 404, details: [] };
  await using given = await serve(answer(404, JSON.stringify(body), json));
  const { error } = await given.store.DELETE('/pets/{petId}', { params: { path: { petId: 1 } }, idempotencyKey: 'k1' });
  const facts = { operation: 'DELETE /pets/{petId}', idempotencyKey: 'k1', attempts: 1, sent: true };
  expect(error).toEqual({ ...body, requestId: 'r1', ...facts });
});

describe('a call throws', () => {
  const never: Answer = () => {};
  const body = { name: 'Rex', categoryId: 3 };

  test('a NetworkError with its key and its attempts if the body breaks off', async () => {
    const broken: Answer = (response) => {
      response.writeHead(200, { ...json, 'Content-Length': '100' }).write('[');
      setTimeout(() => response.destroy(), 10);
    };
    await using given = await serve(broken);
    const facts = { idempotencyKey: 'k1', attempts: 3, sent: true };
    await expect(given.store.POST('/pets', { body, idempotencyKey: 'k1' })).rejects.toMatchObject({
      name: 'NetworkError',
      ...facts,
    });
    expect(given.ends()).toMatchObject([{ ...facts, error: { name: 'NetworkError' } }]);
    expect(new Set(given.server.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(['k1']));
  });

  test('a TimeoutError after the timeout of the call, with the retries of the call', async () => {
    await using given = await serve(never);
    const call = given.store.GET('/pets', { timeout: 20, maxRetries: 1 });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError', attempts: 2 });
    expect(given.ends()).toMatchObject([{ attempts: 2, error: { name: 'TimeoutError' } }]);
  });

  test('a TimeoutError after its deadline, whatever it waits for', async () => {
    await using given = await serve(never);
    const message = 'GET /pets did not end within its deadline of 50 ms.';
    const expected = { name: 'TimeoutError', message, attempts: 1, sent: true };
    await expect(given.store.GET('/pets', { deadline: 50 })).rejects.toMatchObject(expected);
    await using keyless = await serve(never, { apiKey: () => new Promise<string>(() => {}), deadline: 50 });
    const unsent = { name: 'TimeoutError', message, attempts: 0, sent: false };
    await expect(keyless.store.GET('/pets')).rejects.toMatchObject(unsent);
    expect(keyless.ends()).toMatchObject([unsent].map((error) => ({ error })));
  });

  test('no error if its deadline only bounds a wait: the refusal is its result, at once', async () => {
    await using given = await serve(answer(429, '{"code":"rate_limited"}', { ...json, 'Retry-After': '60' }));
    const { error } = await given.store.GET('/pets', { deadline: 30_000 });
    expect(error).toMatchObject({ code: 'rate_limited', attempts: 1 });
  });

  test("a TimeoutError if the caller's AbortSignal.timeout() ends it", async () => {
    await using given = await serve(never);
    const error = await given.store
      .GET('/pets', { signal: AbortSignal.timeout(20) })
      .catch((caught: unknown) => caught);
    expect([isTimeoutError(error), isAbortError(error)]).toEqual([true, false]);
    expect(given.ends()).toHaveLength(1);
  });

  test('an AbortError if the caller aborts it, with the reason as its cause', async () => {
    await using given = await serve(never);
    const before = given.store.GET('/pets', { signal: AbortSignal.abort('too late') });
    await expect(before).rejects.toMatchObject({ name: 'AbortError', cause: 'too late', attempts: 0, sent: false });
    const controller = new AbortController();
    const during = given.store.POST('/pets', { body, signal: controller.signal });
    while (given.server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    const error = await during.catch((caught: unknown) => caught);
    expect(isAbortError(error)).toBe(true);
    expect(error).toMatchObject({ attempts: 1, sent: true, idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(given.ends()).toHaveLength(2);
  });

  test('a sentence about an invalid option of the call', async () => {
    await using given = await serve(never);
    const text: { timeout?: number } = JSON.parse('{"timeout":"30s"}');
    await expect(given.store.GET('/pets', text)).rejects.toThrow('`timeout` must be a finite number from 0.');
    expect(given.ends()).toMatchObject([{ attempts: 0, error: { name: 'TypeError' } }]);
  });
});

test('a request that got a 500 is sent again if that is safe, as the errors guide says', async () => {
  const queue = [500, 500, 200];
  await using given = await serve((response) => answer(queue.shift() ?? 500, '[]', json)(response));
  expect((await given.store.GET('/pets')).data).toEqual([]);
});

test('a server that renders a page can create the client of this page, but not call it', async () => {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    return Response.json([]);
  };
  const store = createAnimalStore({ apiKey: 'as_test_a', baseUrl: '/v1', fetch });
  await expect(store.GET('/pets')).rejects.toThrow('Failed to parse URL from /v1/pets');
  expect(requests).toBe(0);
});

describe('createAnimalStore refuses', () => {
  const valid = { apiKey: 'as_test_a', baseUrl: 'https://api.example.com/v1' };
  test.each<[string, object, string]>([
    ['a key that is undefined', { apiKey: undefined }, '`apiKey` is undefined. Pass'],
    ['an option of another name', { maxRetires: 3 }, '`maxRetires` is not an option of a client. Use `apiKey`, '],
    ['a baseUrl that is undefined', { baseUrl: undefined }, 'must be a URL with https://, not undefined.'],
    ['an empty key', { apiKey: '' }, '`apiKey` must be'],
    ['a key of several lines', { apiKey: 'as_test_a\nas_test_b' }, '`apiKey` must be'],
    ['a timeout that is a text', { timeout: '30s' }, '`timeout` must be a finite number from 0.'],
    ['a negative number of retries', { maxRetries: -1 }, '`maxRetries` must be a whole number from 0.'],
    ['a fraction of a retry', { maxRetries: 1.5 }, '`maxRetries` must be a whole number from 0.'],
    ['no requests in flight', { maxConcurrent: 0 }, '`maxConcurrent` must be a whole number from 1.'],
    ['NaN', { maxConcurrent: Number.NaN }, '`maxConcurrent` must be a whole number from 1.'],
    ['an infinite time', { timeout: Infinity }, '`timeout` must be a finite number from 0.'],
    ['a baseUrl without a scheme', { baseUrl: 'api.example.com/v1' }, 'must be a URL with https://'],
    ['a baseUrl with a port but no scheme', { baseUrl: 'localhost:3000/v1' }, 'must be a URL with https://'],
  ])('%s', (_, wrong, sentence) => {
    const create: (options: object) => unknown = (options) => Reflect.apply(createAnimalStore, undefined, [options]);
    const error = (() => {
      try {
        return create({ ...valid, ...wrong });
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(sentence);
    expect(String(error)).not.toContain('as_test');
    expect(create(valid)).toBeDefined();
  });
});
