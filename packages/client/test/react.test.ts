import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import { act } from 'react';
import { type Rendered, renderHook } from '../../client-core/test/render.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type AnimalStoreOptions, createAnimalStore, isApiError, isNetworkError } from '../src/index.ts';
import { createAnimalStoreHooks, invalidate } from '../src/react/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  for (const number of [1, 2, 3, 4, 5]) {
    await server.call('createPet', { body: { name: `Pet ${number}`, categoryId: 3, status: 'available' } });
  }
});
afterAll(() => server.stop());

let sent: string[];
const mounted: Rendered<unknown>[] = [];
beforeEach(() => {
  sent = [];
});
afterEach(async () => {
  for (const rendered of mounted.splice(0)) await rendered.unmount();
});

/** Hooks of a client that records its requests, and does not wait between attempts. */
function hooksOf(options: Partial<AnimalStoreOptions> = {}) {
  const store = createAnimalStore({
    apiKey: server.key,
    baseUrl: `${server.url}/v1`,
    random: () => 0,
    fetch: (request) => {
      sent.push(`${request.method} ${request.url.replace(`${server.url}/v1`, '')}`);
      return fetch(request);
    },
    ...options,
  });
  return { store, ...createAnimalStoreHooks(store) };
}

async function render<Value>(useHook: () => Value, queryClient?: QueryClient): Promise<Rendered<Value>> {
  const rendered = await renderHook(useHook, queryClient);
  mounted.push(rendered);
  return rendered;
}

describe('useQuery', () => {
  test('returns the data of the operation', async () => {
    const { useQuery } = hooksOf();
    const query = await render(() => useQuery('get', '/pets', { params: { query: { limit: 2 } } }));
    const { data } = await query.until(({ isSuccess }) => isSuccess);
    expect(data?.map(({ name }) => name)).toEqual(['Pet 1', 'Pet 2']);
  });

  test('fails with an ApiError that has its response, and leaves retries to the client', async () => {
    const { useQuery } = hooksOf({ onDeprecated: false });
    const query = await render(() => useQuery('get', '/pets/{petId}', { params: { path: { petId: 404 } } }));
    const { error } = await query.until(({ isError }) => isError);
    expect(isApiError(error) && error).toMatchObject({
      code: 'pet_not_found',
      status: 404,
      rateLimit: { limit: 1000 },
    });
    expect(isApiError(error) && error.requestId).toMatch(/./);
    expect(sent).toEqual(['GET /pets/404']);
  });

  test('makes as many attempts as the client allows: react-query adds none', async () => {
    let tries = 0;
    const { useQuery } = hooksOf({
      maxRetries: 1,
      fetch: async () => {
        tries += 1;
        throw new TypeError('no network');
      },
    });
    const query = await render(
      () => useQuery('get', '/pets'),
      new QueryClient({ defaultOptions: { queries: { retry: 3 } } }),
    );
    const { error } = await query.until(({ isError }) => isError);
    expect(isNetworkError(error)).toBe(true);
    expect(tries).toBe(2);
  });

  test('treats an empty refusal as an error', async () => {
    const { useQuery } = hooksOf({ maxRetries: 0, fetch: async () => new Response(null, { status: 502 }) });
    const query = await render(() => useQuery('get', '/pets'));
    const { error } = await query.until(({ isError }) => isError);
    expect(error).toMatchObject({ name: 'ApiError', status: 502 });
  });

  test('aborts its request when its component unmounts', async () => {
    const signals: AbortSignal[] = [];
    const { useQuery } = hooksOf({
      fetch: (request) => {
        signals.push(request.signal);
        return new Promise(() => {});
      },
    });
    const query = await render(() => useQuery('get', '/pets'));
    await query.until(() => signals.length === 1);
    await query.unmount();
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe('useInfiniteQuery', () => {
  test('follows the Link header from page to page, and returns all entries in one array', async () => {
    const { useInfiniteQuery } = hooksOf();
    const init = { params: { query: { limit: 2, status: 'available' as const } } };
    const list = await render(() => useInfiniteQuery('get', '/pets', init));
    await list.until(({ isSuccess }) => isSuccess);
    expect(list.current).toMatchObject({ hasNextPage: true, data: [{ name: 'Pet 1' }, { name: 'Pet 2' }] });
    for (const count of [4, 5]) {
      await act(() => list.current.fetchNextPage());
      await list.until(({ data }) => data?.length === count);
    }
    expect(list.current.hasNextPage).toBe(false);
    expect(list.current.data?.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(sent).toHaveLength(3);
    expect(sent[1]).toMatch(/^GET \/pets\?(?=.*limit=2)(?=.*status=available)(?=.*cursor=)/);
  });

  test('has a cache entry apart from that of a plain query of the same list', async () => {
    const { useInfiniteQuery, useQuery } = hooksOf();
    const both = await render(() => [useInfiniteQuery('get', '/pets'), useQuery('get', '/pets')] as const);
    const [list, query] = await both.until((results) => results.every(({ isSuccess }) => isSuccess));
    expect(list.data).toEqual(query.data);
  });

  test('fails with an ApiError', async () => {
    const { useInfiniteQuery } = hooksOf({ apiKey: 'wrong' });
    const list = await render(() => useInfiniteQuery('get', '/store/orders'));
    const { error } = await list.until(({ isError }) => isError);
    expect(error).toMatchObject({ name: 'ApiError', code: 'api_key_invalid' });
    expect(sent).toHaveLength(1);
  });
});

describe('useMutation', () => {
  test('returns the added entry, and invalidated queries are fetched again', async () => {
    const { useQuery, useInfiniteQuery, useMutation } = hooksOf();
    const queryClient = new QueryClient();
    const use = () => ({
      list: useInfiniteQuery('get', '/pets', { params: { query: { limit: 1 } } }),
      orders: useQuery('get', '/store/orders'),
      add: useMutation('post', '/store/orders', { onSuccess: () => invalidate(queryClient, '/pets') }),
    });
    const page = await render(use, queryClient);
    await page.until(({ list, orders }) => list.isSuccess && orders.isSuccess);
    await act(() => page.current.add.mutateAsync({ body: { petId: 1 } }));
    await page.until(({ list }) => list.data?.[0]?.status === 'pending');
    expect(page.current.add.data).toMatchObject({ petId: 1, status: 'placed' });
    expect(sent.filter((line) => line === 'GET /store/orders')).toHaveLength(1);
    expect(sent.filter((line) => line === 'GET /pets?limit=1')).toHaveLength(2);
  });

  test('fails with the details of each field, and is not retried', async () => {
    const { useMutation } = hooksOf();
    const add = await render(() => useMutation('post', '/pets'));
    await act(async () => add.current.mutate({ body: { name: '', categoryId: 3 } }));
    const { error } = await add.until(({ isError }) => isError);
    expect(error).toMatchObject({ code: 'invalid_request', details: [{ where: 'body/name' }] });
    expect(sent).toEqual(['POST /pets']);
  });
});

test('queryOptions prefetches data, which the hook then uses', async () => {
  const { queryOptions, useSuspenseQuery, infiniteQueryOptions } = hooksOf();
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  await queryClient.prefetchQuery(queryOptions('get', '/pets'));
  await queryClient.prefetchInfiniteQuery(infiniteQueryOptions('get', '/pets'));
  const query = await render(() => useSuspenseQuery('get', '/pets'), queryClient);
  expect(query.current.data).toHaveLength(5);
  expect(sent).toEqual(['GET /pets', 'GET /pets']);
});

test('useRateLimit follows each response, including those to calls without hooks', async () => {
  const { store, useRateLimit } = hooksOf({ apiKey: await server.createKey('free') });
  const remaining = await render(() => ({ rateLimit: useRateLimit() }));
  expect(remaining.current.rateLimit).toBeUndefined();
  for (const left of [59, 58]) {
    await act(() => store.GET('/pets'));
    await remaining.until(({ rateLimit }) => rateLimit?.remaining === left);
  }
});
