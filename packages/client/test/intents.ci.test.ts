import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { useMutation } from '@tanstack/react-query';
import { act } from 'react';
import { type Rendered, renderHook } from '../../client-core/test/render.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { createAnimalStore, newIdempotencyKey } from '../src/index.ts';
import { createAnimalStoreQueries } from '../src/queries/index.ts';

let server: TestServer;
const mounted: Rendered<unknown>[] = [];
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterAll(() => server.stop());
afterEach(async () => {
  for (const rendered of mounted.splice(0)) await rendered.unmount();
});

/** A client whose API stores a pet but loses that many responses, and the keys of its requests. */
function setUp({ lost = 0 } = {}) {
  const keys: (string | null)[] = [];
  const headers: (string | null)[] = [];
  const store = createAnimalStore({
    apiKey: server.key,
    baseUrl: `${server.url}/v1`,
    firstDelay: 0,
    fetch: async (request) => {
      keys.push(request.headers.get('Idempotency-Key'));
      headers.push(request.headers.get('X-Test'));
      const response = await fetch(request);
      if (keys.length <= lost) throw new TypeError('Failed to fetch');
      return response;
    },
  });
  const render = async <Value>(useHook: () => Value): Promise<Rendered<Value>> => {
    const rendered = await renderHook(useHook);
    mounted.push(rendered);
    return rendered;
  };
  const countOf = async (name: string) => {
    const { data = [] } = await store.GET('/pets', { params: { query: { limit: 100 } } });
    return data.filter((pet) => pet.name === name).length;
  };
  return {
    store,
    ...createAnimalStoreQueries(store),
    render,
    keys,
    headers,
    countOf,
  };
}

const pet = (name: string) => ({ body: { name, categoryId: 3 } });

describe('one animal is added, with one Idempotency-Key,', () => {
  test('if responses are lost and react-query retries', async () => {
    const { mutations, render, keys, countOf } = setUp({ lost: 8 });
    const add = await render(() => useMutation({ ...mutations.pets.create(), retry: 2, retryDelay: 0 }));
    await act(async () => add.current.mutate(pet('Retried')));
    await add.until(({ isSuccess }) => isSuccess);
    expect([keys.length, new Set(keys).size]).toEqual([9, 1]);
    expect(await countOf('Retried')).toBe(1);
  });

  test('if each call has other options, or its properties in another order', async () => {
    const { mutations, keys, countOf } = setUp({ lost: 4 });
    const body = (isReversed: boolean) =>
      isReversed ? { categoryId: 3, name: 'Ordered' } : { name: 'Ordered', categoryId: 3 };
    // The intents belong to `create`, and each click has options of its own.
    const { create } = mutations.pets;
    const click = (isReversed: boolean) =>
      create({ headers: { 'X-Test': `${isReversed}` } }).mutationFn({ body: body(isReversed) });
    await expect(click(false)).rejects.toMatchObject({ name: 'NetworkError' });
    await click(true);
    expect([new Set(keys).size, await countOf('Ordered')]).toEqual([1, 1]);
  });

  test('if a user clicks again after each error', async () => {
    const { mutations, render, keys, countOf } = setUp({ lost: 6 });
    const add = await render(() => useMutation(mutations.pets.create()));
    const click = () => add.current.mutateAsync(pet('Clicked again'));
    for (const _lost of [1, 2]) {
      await act(() => expect(click()).rejects.toMatchObject({ name: 'NetworkError' }));
      await add.until(({ isError }) => isError);
    }
    await act(click);
    await add.until(({ isSuccess }) => isSuccess);
    expect([keys.length, new Set(keys).size]).toEqual([7, 1]);
    expect(await countOf('Clicked again')).toBe(1);
  });

  test('if a user clicks three times at once', async () => {
    const { mutations, render, keys, countOf } = setUp();
    const add = await render(() => useMutation(mutations.pets.create()));
    const click = () => add.current.mutateAsync(pet('Clicked at once'));
    const pets = await act(() => Promise.all([click(), click(), click()]));
    await add.until(({ isSuccess }) => isSuccess);
    expect([new Set(pets.map(({ id }) => id)).size, keys.length]).toEqual([1, 1]);
    expect(await countOf('Clicked at once')).toBe(1);
  });
});

describe('another animal is added', () => {
  test('by the next call after a success, and by one with other parameters', async () => {
    const { mutations, keys, countOf } = setUp();
    const { mutationFn } = mutations.pets.create();
    await mutationFn(pet('Twice'));
    await Promise.all([mutationFn(pet('Twice')), mutationFn(pet('Other'))]);
    expect([new Set(keys).size, await countOf('Twice'), await countOf('Other')]).toEqual([3, 2, 1]);
  });

  test('if the caller decides so with an idempotencyKey', async () => {
    const { mutations, countOf } = setUp();
    const add = () => mutations.pets.create({ idempotencyKey: newIdempotencyKey() }).mutationFn(pet('Own key'));
    await Promise.all([add(), add()]);
    expect(await countOf('Own key')).toBe(2);
  });
});

test('a change whose response is lost is made again after another change', async () => {
  const { store, mutations, keys } = setUp();
  const { id } = await mutations.pets.create().mutationFn(pet('Changed'));
  const losing = setUp({ lost: 3 });
  const { mutationFn } = losing.mutations.pets.update();
  const change = (status: 'sold' | 'available') => mutationFn({ petId: id, 'If-Match': '*', body: { status } });
  await expect(change('sold')).rejects.toMatchObject({ name: 'NetworkError' });
  await change('available');
  expect(await change('sold')).toMatchObject({ status: 'sold' });
  expect((await store.GET('/pets', { params: { query: { id: [id] } } })).data).toMatchObject([{ status: 'sold' }]);
  expect([keys.length, new Set(losing.keys).size]).toEqual([2, 3]);
});

test('a change that is still running is not made twice, although another one began meanwhile', async () => {
  const { store, mutations, keys } = setUp();
  const { mutationFn: add } = mutations.pets.create();
  const [{ id: one }, { id: other }] = await Promise.all([add(pet('One')), add(pet('Other'))]);
  const { mutationFn: remove } = mutations.pets.delete();
  const removal = (petId: number) => remove({ petId, 'If-Match': '*' });
  await Promise.all([removal(one), removal(other), removal(one)]);
  expect(keys).toHaveLength(4);
  expect((await store.GET('/pets', { params: { query: { id: [one, other] } } })).data).toEqual([]);
});

test('queries and mutations take the options of a call', async () => {
  const { queries, mutations, headers } = setUp();
  const signal = new AbortController().signal;
  const options = { headers: { 'X-Test': 'yes' }, timeout: 5_000, deadline: 9_000, maxRetries: 0 };
  const context = { signal, pageParam: '' };
  await queries.pets.list({}, options).queryFn(context);
  await queries.pets.list.withHeaders({}, options).queryFn(context);
  await queries.pets.list.infinite({}, options).queryFn(context);
  await mutations.pets.create.withHeaders(options).mutationFn(pet('Optional'));
  expect(headers).toEqual(['yes', 'yes', 'yes', 'yes']);
  expect(queries.pets.list({}, options).queryKey).toEqual(queries.pets.list().queryKey);
  const expired = mutations.pets.create({ deadline: 0 }).mutationFn(pet('Late'));
  await expect(expired).rejects.toMatchObject({ name: 'TimeoutError' });
});
