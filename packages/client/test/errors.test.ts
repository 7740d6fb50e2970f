import { describe, expect, test } from '@jest/globals';
import { startTestServer } from '../../server/test/harness.ts';
import {
  ApiError,
  createAnimalStore,
  isApiError,
  isNetworkError,
  isRateLimitError,
  isTimeoutError,
  NetworkError,
  RateLimitError,
  TimeoutError,
  toApiError,
  unwrap,
} from '../src/index.ts';
import { createAnimalStoreQueries } from '../src/queries/index.ts';

const reply = (status: number) => new Response(null, { status });

describe('the guards', () => {
  const guards: Record<string, (error: unknown) => boolean> = {
    isApiError: (error) => isApiError(error),
    isRateLimitError,
    isNetworkError,
    isTimeoutError,
  };
  const that = (error: unknown) => Object.entries(guards).flatMap(([name, guard]) => (guard(error) ? [name] : []));

  test.each([
    ['an ApiError', toApiError(undefined, reply(404)), ['isApiError']],
    ['a RateLimitError', toApiError(undefined, reply(429)), ['isApiError', 'isRateLimitError']],
    ['a NetworkError', new NetworkError(), ['isNetworkError']],
    ['a TimeoutError', new TimeoutError(), ['isNetworkError', 'isTimeoutError']],
    ['an error of the platform', new DOMException('', 'TimeoutError'), []],
    ['no error', 'ApiError', []],
    ['null', null, []],
    ['undefined', undefined, []],
  ])('know %s', (_, error, names) => {
    expect(that(error)).toEqual(names);
  });

  test.each(['contractFirst', 'animalStore'])('know the errors of another copy by %s', (marker) => {
    expect(that(Object.assign(new Error(), { [marker]: ['api'] }))).toEqual(['isApiError']);
    expect(that(Object.assign(new Error(), { [marker]: 'api' }))).toEqual([]);
  });
});

test('the errors that the client throws are instances of the exported classes', () => {
  expect(toApiError(undefined, reply(404))).toBeInstanceOf(ApiError);
  expect(toApiError(undefined, reply(429))).toBeInstanceOf(RateLimitError);
});

describe('with an operation, isApiError', () => {
  test('knows the errors of each way to call it', async () => {
    await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    const store = createAnimalStore({ apiKey: server.key, baseUrl: `${server.url}/v1` });
    const body = { name: '', categoryId: 3 };
    const returned = await store.POST('/pets', { body });
    expect(returned.error).toMatchObject({ operation: 'POST /pets', code: 'invalid_request', status: 400 });
    const failed = [
      store.pets.create({ body }),
      store.pets.create({ body }).withResponse(),
      createAnimalStoreQueries(store).mutations.pets.create().mutationFn({ body }),
      unwrap(Promise.resolve(returned)),
    ];
    for (const call of failed) {
      const error: unknown = await call.catch((reason: unknown) => reason);
      expect(isApiError(error, 'POST /pets') && error.code === 'invalid_request' && error.status).toBe(400);
      expect(isApiError(error, 'GET /pets')).toBe(false);
    }
    const missing: unknown = await store.beta.orders.list({ cursor: 'a' }).catch((reason: unknown) => reason);
    expect([isApiError(missing, 'GET /store/orders'), isApiError(missing, 'POST /store/orders')]).toEqual([
      true,
      false,
    ]);
  });

  test('knows no error that no client has made, and none without a response', async () => {
    expect(isApiError(toApiError(undefined, reply(404)), 'GET /pets')).toBe(false);
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    const store = createAnimalStore({ apiKey: 'a', baseUrl: 'http://api.example/v1', maxRetries: 0, fetch });
    const error: unknown = await store.pets.list().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'NetworkError', operation: 'GET /pets' });
    expect(isApiError(error, 'GET /pets')).toBe(false);
  });
});
