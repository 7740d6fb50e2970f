import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createVirtualTime, installTime } from '../../client-core/test/virtual-time.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import {
  type AnimalStoreOptions,
  type ClientEvent,
  createAnimalStore,
  type DeprecationNotice,
  isRateLimitError,
  unwrap,
} from '../src/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

function clientWith(options: Partial<AnimalStoreOptions> = {}) {
  return createAnimalStore({ apiKey: server.key, baseUrl: `${server.url}/v1`, onDeprecated: false, ...options });
}

test('the client adds, lists and gets animals, typed by the contract', async () => {
  const store = clientWith();
  const created = await store.POST('/pets', { body: { name: 'Rex', categoryId: 3, status: 'available' } });
  expect(created.data).toEqual({ id: 1, name: 'Rex', categoryId: 3, status: 'available' });
  const listed = await store.GET('/pets', { params: { query: { status: 'available', limit: 5 } } });
  expect(listed.data).toEqual([created.data]);
  const found = await store.GET('/pets/{petId}', { params: { path: { petId: 1 } } });
  expect(found.data?.name).toBe('Rex');
});

describe('a refusal', () => {
  test('is a typed value, not an exception', async () => {
    const { data, error, response } = await clientWith({ apiKey: 'as_test_wrong' }).GET('/pets');
    expect(data).toBeUndefined();
    expect(error?.code).toBe('api_key_invalid');
    expect(response.status).toBe(401);
  });

  test('is an exception with all fields of the error if the result is unwrapped', async () => {
    const call = clientWith().GET('/pets', { params: { query: { limit: 1_000 } } });
    await expect(unwrap(call)).rejects.toMatchObject({
      name: 'ApiError',
      code: 'invalid_request',
      status: 400,
      details: [{ where: 'query/limit' }],
      requestId: expect.any(String),
      rateLimit: { limit: 1_000, remaining: expect.any(Number), reset: expect.any(Date) },
    });
  });
});

test('an invalid baseUrl is refused when the client is created', () => {
  expect(() => clientWith({ baseUrl: 'no address' })).toThrow('`baseUrl` must be a URL');
});

test('a deprecated operation is reported once, with its sunset and its successor', async () => {
  const notices: DeprecationNotice[] = [];
  const store = clientWith({ onDeprecated: (notice) => void notices.push(notice) });
  for (const petId of [1, 404]) await store.GET('/pets/{petId}', { params: { path: { petId } } });
  await store.GET('/pets');
  expect(notices).toMatchObject([
    {
      operation: 'GET /pets/{petId}',
      sunset: new Date('2030-12-05T00:00:00Z'),
      successor: `${server.url}/v1/pets`,
      documentation: `${server.url}/docs/guides/deprecations.html#getpet`,
    },
  ]);
});

test('the client changes an animal by its ETag, and deletes it', async () => {
  const store = clientWith();
  const created = await store.POST('/pets', { body: { name: 'Luna', categoryId: 3, status: 'sold' } });
  const path = { petId: created.data?.id ?? 0 };
  const header = { 'If-Match': created.response.headers.get('ETag') ?? '' };
  const rename = async () =>
    store.PATCH('/pets/{petId}', { params: { path, header }, body: { name: 'Lola', status: null } });
  expect((await rename()).data).toEqual({ id: path.petId, name: 'Lola', categoryId: 3 });
  expect((await rename()).error?.code).toBe('precondition_failed');
  expect(await unwrap(store.DELETE('/pets/{petId}', { params: { path } }))).toBeUndefined();
  const found = await unwrap(store.GET('/pets', { params: { query: { id: [1, path.petId] } } }));
  expect(found.map(({ id }) => id)).toEqual([1]);
});

test('a list of animals that has not changed is not sent again', async () => {
  const store = clientWith();
  const first = await store.GET('/pets');
  const ifChanged = async () => {
    const header = { 'If-None-Match': first.response.headers.get('ETag') ?? '' };
    return store.GET('/pets', { params: { header } });
  };
  expect(await ifChanged()).toEqual({ data: undefined, response: expect.objectContaining({ status: 304 }) });
  await unwrap(store.POST('/pets', { body: { name: 'Mia', categoryId: 7 } }));
  expect((await ifChanged()).data).toContainEqual(expect.objectContaining({ name: 'Mia' }));
});

test('the quota is read from every response', async () => {
  const store = clientWith({ apiKey: await server.createKey('free') });
  expect(store.rateLimit).toBeUndefined();
  await store.GET('/pets');
  await store.GET('/pets', { params: { query: { limit: 0 } } });
  expect(store.rateLimit).toEqual({ limit: 60, remaining: 58, reset: new Date('2026-12-01T12:01:00Z') });
});

test('events report each step, and never contain the key; a listener that throws does no harm', async () => {
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent) => {
    events.push(event);
    throw new Error('the log is full');
  };
  await unwrap(clientWith({ onEvent }).GET('/pets'));
  expect(events.map(({ type }) => type)).toEqual(['start', 'request', 'response', 'end']);
  expect(JSON.stringify(events)).not.toContain(server.key);
});

test('if calls may not wait, one over the limit fails at once', async () => {
  const time = createVirtualTime(server.clock, Math.random);
  const store = clientWith({ apiKey: await server.createKey('free'), maxRetryAfter: 0, ...installTime(time) });
  for (let call = 0; call < 60; call += 1) await unwrap(store.GET('/pets'));
  const returned = await store.GET('/pets');
  const over = [await caught(unwrap(returned)), await caught(unwrap(store.GET('/pets')))];
  for (const error of over) {
    expect(isRateLimitError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'rate_limited', scope: 'minute', retryAfter: 50_000 });
    // Nothing was sent, because the limit is known from earlier responses.
    expect(error).toMatchObject({ requestId: undefined, attempts: 0, sent: false });
  }
});

function caught(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error);
}
