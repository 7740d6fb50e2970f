import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { QueryClient, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { act } from 'react';
import { type Rendered, renderHook } from '../../client-core/test/render.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import type { Pet } from '../src/generated/schemas.ts';
import { createAnimalStore, isApiError } from '../src/index.ts';
import { createAnimalStoreQueries, optimistic } from '../src/queries/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterAll(() => server.stop());

let ids: number[];
/** While it is pending, no change reaches the server. */
let open: PromiseWithResolvers<void>;
let sent: string[];
const mounted: Rendered<unknown>[] = [];
beforeEach(async () => {
  ids = [];
  sent = [];
  open = Promise.withResolvers();
  for (const name of ['Rex', 'Mia', 'Bob']) {
    const { body } = await server.call('createPet', { body: { name, categoryId: 3, status: 'available' } });
    ids.push(Object(body).id);
  }
});
afterEach(async () => {
  for (const rendered of mounted.splice(0)) await rendered.unmount();
});

/** A page with an infinite list, a plain list and an editor of one of the pets. */
async function openPage({ edited = 0 } = {}) {
  const store = createAnimalStore({
    apiKey: server.key,
    baseUrl: `${server.url}/v1`,
    maxRetries: 0,
    async fetch(request) {
      sent.push(`${request.method} ${request.headers.get('If-Match') ?? ''}`.trim());
      if (request.method !== 'GET') await open.promise;
      return fetch(request);
    },
  });
  const { queries, mutations } = createAnimalStoreQueries(store);
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, notifyOnChangeProps: 'all' } } });
  const change = {
    query: ({ petId }: { petId: number }) => queries.pets.list.withHeaders({ id: [petId] }),
    path: '/pets',
    isSame: (pet: Pet, { petId }: { petId: number }) => pet.id === petId,
  };
  const page = await renderHook(
    () => ({
      list: useInfiniteQuery({ ...queries.pets.list.infinite({ id: ids, limit: 2 }), maxPages: 5 }),
      all: useQuery(queries.pets.list({ id: ids })),
      edited: useQuery(queries.pets.list.withHeaders({ id: [ids[edited] ?? 0] })),
      edit: useMutation(optimistic(client, mutations.pets.update(), change), client),
      remove: useMutation(optimistic(client, mutations.pets.delete(), { ...change, apply: () => undefined }), client),
    }),
    client,
  );
  mounted.push(page);
  await page.until(({ list, all, edited }) => list.isSuccess && all.isSuccess && edited.isSuccess);
  await act(async () => void (await page.current.list.fetchNextPage()));
  await page.until(({ list }) => list.data?.length === 3);
  return { page, client };
}

const namesIn = ({
  list,
  all,
  edited,
}: {
  list: { data: Pet[] | undefined };
  all: { data: Pet[] | undefined };
  edited: { data: { data: Pet[] } | undefined };
}) => [list.data, all.data, edited.data?.data].map((pets) => pets?.map(({ name }) => name).join());

describe('an optimistic change', () => {
  test('is in every list at once, and sends the ETag that the user saw', async () => {
    const { page } = await openPage();
    const { edited, edit } = page.current;
    await act(async () => edit.mutate({ petId: ids[0] ?? 0, body: { name: 'Rexi' } }));
    await page.until((now) => namesIn(now).join(' ') === 'Rexi,Mia,Bob Rexi,Mia,Bob Rexi');
    open.resolve();
    await page.until(({ edit }) => edit.isSuccess);
    expect(sent).toContain(`PATCH ${edited.data?.headers['etag']}`);
    await page.until(({ list }) => !list.isFetching);
    expect(namesIn(page.current)).toEqual(['Rexi,Mia,Bob', 'Rexi,Mia,Bob', 'Rexi']);
  });

  test('can follow another one of the same property, although no query of the item is on the page', async () => {
    const { page } = await openPage({ edited: 2 });
    open.resolve();
    for (const name of ['Anna', 'Bert', 'Carl']) {
      await act(async () => page.current.edit.mutate({ petId: ids[0] ?? 0, body: { name } }));
      // Before the page knows of this change, nothing is pending.
      const isKnown = ({ edit }: typeof page.current) => edit.variables?.body.name === name;
      await page.until((now) => isKnown(now) && !now.edit.isPending && !now.list.isFetching);
      expect([page.current.edit.error, namesIn(page.current)[0]]).toEqual([null, `${name},Mia,Bob`]);
    }
    expect(sent.filter((one) => one.startsWith('PATCH'))).toHaveLength(3);
  });

  test('can be made while another one of the same property is under way', async () => {
    const { page } = await openPage({ edited: 2 });
    for (const name of ['Anna', 'Bert']) {
      await act(async () => page.current.edit.mutate({ petId: ids[0] ?? 0, body: { name } }));
      await page.until((now) => namesIn(now)[0] === `${name},Mia,Bob`);
    }
    open.resolve();
    await page.until(({ edit, list }) => !edit.isPending && !list.isFetching);
    expect(page.current.edit.error).toBeNull();
    const { body } = await server.call('listPets', { query: { id: ids[0] ?? 0 } });
    expect(body).toMatchObject([{ name: 'Bert' }]);
  });

  test('is taken back if the API refuses it', async () => {
    const { page } = await openPage();
    await act(async () => page.current.edit.mutate({ petId: ids[0] ?? 0, body: { name: '' } }));
    await page.until((now) => namesIn(now)[0] === ',Mia,Bob');
    open.resolve();
    await page.until(({ edit }) => edit.isError);
    await page.until((now) => namesIn(now).join(' ') === 'Rex,Mia,Bob Rex,Mia,Bob Rex');
  });

  test('that removes an item is taken back at its place', async () => {
    const { page } = await openPage();
    await act(async () => page.current.remove.mutate({ petId: ids[1] ?? 0, 'If-Match': '"old"' }));
    await page.until((now) => namesIn(now).join(' ') === 'Rex,Bob Rex,Bob Rex');
    open.resolve();
    await page.until(({ remove }) => remove.isError);
    await page.until((now) => namesIn(now).join(' ') === 'Rex,Mia,Bob Rex,Mia,Bob Rex');
  });

  test('is sent again if someone else has changed another property', async () => {
    const { page } = await openPage();
    await act(async () => page.current.edit.mutate({ petId: ids[0] ?? 0, body: { name: 'Rexi' } }));
    await page.until((now) => namesIn(now)[0] === 'Rexi,Mia,Bob');
    await change(ids[0] ?? 0, { status: 'sold' });
    open.resolve();
    await page.until(({ edit }) => edit.isSuccess);
    const { body } = await server.call('listPets', { query: { id: ids[0] ?? 0 } });
    expect(body).toEqual([{ id: ids[0], name: 'Rexi', categoryId: 3, status: 'sold' }]);
    expect(sent.filter((one) => one.startsWith('PATCH'))).toHaveLength(2);
  });

  test('fails with the 412 if someone else has changed the same property, and shows what it is now', async () => {
    const { page } = await openPage();
    await act(async () => page.current.edit.mutate({ petId: ids[0] ?? 0, body: { name: 'Rexi' } }));
    await page.until((now) => namesIn(now)[0] === 'Rexi,Mia,Bob');
    await change(ids[0] ?? 0, { name: 'Max' });
    open.resolve();
    const { edit } = await page.until(({ edit }) => edit.isError);
    expect(isApiError(edit.error) && edit.error.code).toBe('precondition_failed');
    await page.until(({ list, all }) => !list.isFetching && !all.isFetching);
    expect(namesIn(page.current)).toEqual(['Max,Mia,Bob', 'Max,Mia,Bob', 'Max']);
  });
});

/** A change by another user. */
async function change(petId: number, body: object): Promise<void> {
  const { status } = await server.call('updatePet', { path: { petId }, body, headers: { 'If-Match': '*' } });
  expect(status).toBe(200);
}
