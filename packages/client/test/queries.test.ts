import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { act } from 'react';
import { type Rendered, renderHook } from '../../client-core/test/render.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type AnimalStoreOptions, createAnimalStore, isApiError, isNetworkError } from '../src/index.ts';
import { createAnimalStoreQueries } from '../src/queries/index.ts';
import { invalidate, useRateLimit } from '../src/react/index.ts';

let server: TestServer;
let sent: string[];
const mounted: Rendered<unknown>[] = [];
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  for (const number of [1, 2, 3, 4, 5]) {
    await server.call('createPet', { body: { name: `Pet ${number}`, categoryId: 3, status: 'available' } });
  }
});
afterAll(() => server.stop());
beforeEach(() => {
  sent = [];
});
afterEach(async () => {
  for (const rendered of mounted.splice(0)) await rendered.unmount();
});

function setUp(options: Partial<AnimalStoreOptions> = {}) {
  const store = createAnimalStore({
    apiKey: server.key,
    baseUrl: `${server.url}/v1`,
    onDeprecated: false,
    fetch: (request) => {
      sent.push(`${request.method} ${request.url.replace(`${server.url}/v1`, '')}`);
      return fetch(request);
    },
    ...options,
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000, retry: 3 } } });
  const render = async <Value>(useHook: () => Value): Promise<Rendered<Value>> => {
    const rendered = await renderHook(useHook, queryClient);
    mounted.push(rendered);
    return rendered;
  };
  return { ...createAnimalStoreQueries(store), queryClient, render };
}

test('a query is cached, and found by its key', async () => {
  const { queries, queryClient, render } = setUp();
  const query = await render(() => useQuery(queries.pets.list({ limit: 2, status: undefined })));
  await query.until(({ isSuccess }) => isSuccess);
  const same = await render(() => useQuery(queries.pets.list({ limit: 2 })));
  expect(same.current.data).toBe(query.current.data);
  expect(queryClient.getQueryData(queries.pets.list({ limit: 2 }).queryKey)?.map(({ id }) => id)).toEqual([1, 2]);
  expect(sent).toEqual(['GET /pets?limit=2']);
});

test('a query fails with an ApiError, and only the client retries', async () => {
  const { queries, render } = setUp();
  const query = await render(() => useQuery(queries.beta.orders.get({ orderId: 404 })));
  const { error } = await query.until(({ isError }) => isError);
  expect(isApiError(error) && [error.code, error.requestId]).toEqual(['order_not_found', expect.any(String)]);
  expect(sent).toEqual(['GET /store/orders/404']);
});

test('a query makes as many attempts as the client allows: react-query adds none', async () => {
  const refuse = async () => {
    throw new TypeError('no network');
  };
  const { queries, render } = setUp({ maxRetries: 1, fetch: refuse });
  const query = await render(() => useQuery(queries.pets.list()));
  const { error } = await query.until(({ isError }) => isError);
  expect(isNetworkError(error) && error.attempts).toBe(2);
});

test('a query aborts its request when its component unmounts', async () => {
  const signals: AbortSignal[] = [];
  const { queries, render } = setUp({
    fetch: (request) => {
      signals.push(request.signal);
      return new Promise(() => {});
    },
  });
  const query = await render(() => useQuery(queries.pets.list()));
  await query.until(() => signals.length === 1);
  await query.unmount();
  expect(signals[0]?.aborted).toBe(true);
});

test('the ETag of a query makes a change conditional, and `invalidate` covers the named queries', async () => {
  const { queries, mutations, queryClient, render } = setUp();
  const use = () => ({
    pet: useQuery(queries.pets.list.withHeaders({ id: [1] })),
    list: useQuery(queries.pets.list({ limit: 1 })),
    update: useMutation({
      ...mutations.pets.update.withHeaders(),
      onSuccess: () => invalidate(queryClient, '/pets'),
    }),
  });
  const page = await render(use);
  const { pet } = await page.until(({ pet, list }) => pet.isSuccess && list.isSuccess);
  expect(pet.data).toMatchObject({ status: 200, requestId: expect.any(String), data: [{ id: 1, name: 'Pet 1' }] });
  const change = { petId: 1, 'If-Match': pet.data?.headers['etag'] ?? '', body: { name: 'Rex' } };
  await act(() => page.current.update.mutateAsync(change));
  const { update } = await page.until(({ list }) => list.data?.[0]?.name === 'Rex');
  expect(update.data).toMatchObject({ status: 200, headers: { etag: expect.any(String) }, data: { name: 'Rex' } });
  await act(async () => page.current.update.mutate(change));
  const { error } = (await page.until(({ update }) => update.isError)).update;
  expect(isApiError(error) && error.code).toBe('precondition_failed');
});

test('a mutation of an operation whose response has no body returns null', async () => {
  const { mutations, render } = setUp();
  const remove = await render(() => useMutation(mutations.pets.delete()));
  await act(() => remove.current.mutateAsync({ petId: 5 }));
  expect((await remove.until(({ isSuccess }) => isSuccess)).data).toBeNull();
  expect(sent).toEqual(['DELETE /pets/5']);
});

describe('a list', () => {
  test('is loaded page by page, and `select` receives the pages', async () => {
    const { queries, render } = setUp();
    const list = await render(() => useInfiniteQuery(queries.pets.list.infinite({ limit: 2 })));
    await list.until(({ data }) => data?.length === 2);
    await act(() => list.current.fetchNextPage());
    await list.until(({ data }) => data?.length === 4);
    const count = await render(() =>
      useInfiniteQuery({ ...queries.pets.list.infinite({ limit: 2 }), select: ({ pages }) => pages.length }),
    );
    expect(count.current.data).toBe(2);
    expect(sent).toHaveLength(2);
  });

  test('has a cache entry for one page, and another for all of its pages', async () => {
    const { queries, queryClient } = setUp();
    await queryClient.prefetchQuery(queries.pets.list({ limit: 2 }));
    await queryClient.prefetchInfiniteQuery(queries.pets.list.infinite({ limit: 2 }));
    expect(queryClient.getQueryData(queries.pets.list({ limit: 2 }).queryKey)).toHaveLength(2);
    expect(queryClient.getQueryData(queries.pets.list.infinite({ limit: 2 }).queryKey)).toMatchObject({
      pages: [expect.anything()],
    });
  });

  test('is rendered from a prefetched cache, even by hooks that suspend', async () => {
    const { queries, render, queryClient } = setUp();
    await queryClient.prefetchInfiniteQuery(queries.pets.list.infinite());
    await queryClient.prefetchQuery(queries.pets.list());
    const all = await render(() => [
      useSuspenseInfiniteQuery(queries.pets.list.infinite()).data.length,
      useSuspenseQuery(queries.pets.list()).data.length,
    ]);
    expect(all.current).toEqual([4, 4]);
    expect(sent).toHaveLength(2);
  });
});

test('useRateLimit follows each response, including those to calls without hooks', async () => {
  const store = createAnimalStore({ apiKey: await server.createKey('free'), baseUrl: `${server.url}/v1` });
  const remaining = await renderHook(() => ({ rateLimit: useRateLimit(store) }));
  expect(remaining.current.rateLimit).toBeUndefined();
  for (const left of [59, 58]) {
    await act(() => store.GET('/pets'));
    await remaining.until(({ rateLimit }) => rateLimit?.remaining === left);
  }
  await remaining.unmount();
});
