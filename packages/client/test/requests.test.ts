import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type AnimalStoreOptions, createAnimalStore, unwrap } from '../src/index.ts';
import * as allOperations from '../src/operations/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

function clientWith(options: Partial<AnimalStoreOptions>) {
  return createAnimalStore({ apiKey: server.key, baseUrl: `${server.url}/v1`, ...options });
}

/** A client that records its requests. */
function watchedClient() {
  const sent: Request[] = [];
  const store = clientWith({
    fetch: (request) => {
      sent.push(request.clone());
      return fetch(request);
    },
  });
  return { store, sent };
}

test('the key is sent to the API and nowhere else', async () => {
  const { store, sent } = watchedClient();
  await expect(store.GET('/pets', { baseUrl: 'http://other.example/v1' })).rejects.toThrow(
    'only sends requests to http://127.0.0.1',
  );
  expect(sent).toEqual([]);
});

test('a redirect is not followed, so its target does not receive the key', async () => {
  const asked: (string | undefined)[] = [];
  const elsewhere = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { Location: '/stolen' }).end();
  }).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const address = elsewhere.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
  await expect(unwrap(clientWith({ baseUrl }).GET('/pets'))).rejects.toMatchObject({ status: 302 });
  expect(asked).toEqual(['/v1/pets']);
  elsewhere.closeAllConnections();
  elsewhere.close();
});

test.each([[undefined], [null], [''], ['..'], [NaN], [2 ** 53]])(
  'a call whose path parameter is %p is refused before it is sent',
  async (petId) => {
    const { store, sent } = watchedClient();
    const operations: Record<string, (store: unknown, params: object) => Promise<unknown>> = Object(allOperations);
    const calls = [
      store.GET('/pets/{petId}', Object({ params: { path: { petId } } })),
      store.DELETE('/pets/{petId}', Object(petId === undefined ? {} : { params: { path: { petId } } })),
      operations['getPet']?.(store, { petId }),
    ];
    for (const call of calls) {
      await expect(call).rejects.toThrow(
        new TypeError(
          `\`petId\` must be a value for the path /pets/{petId}, not ${typeof petId === 'string' ? JSON.stringify(petId) : petId}.`,
        ),
      );
    }
    expect(sent).toEqual([]);
  },
);

describe('an Idempotency-Key', () => {
  test('is added to each request that may have one, with a new value each time', async () => {
    const { store, sent } = watchedClient();
    const body = { name: 'Mia', categoryId: 7 };
    for (let time = 0; time < 2; time += 1) await store.POST('/pets', { body });
    await store.POST('/store/orders/{orderId}/cancel', { params: { path: { orderId: 1 } } });
    await store.GET('/pets');
    const keys = sent.map(({ headers }) => headers.get('Idempotency-Key'));
    const given = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([given, given, given, null]);
    expect(new Set(keys).size).toBe(4);
  });

  test('from the caller is sent unchanged', async () => {
    const { store, sent } = watchedClient();
    const init = { body: { name: 'Mia', categoryId: 7 }, params: { header: { 'Idempotency-Key': 'mine' } } };
    const [first, second] = [await store.POST('/pets', init), await store.POST('/pets', init)];
    expect(sent.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(['mine', 'mine']);
    expect(second.data).toEqual(first.data);
  });
});
