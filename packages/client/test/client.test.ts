import { createAnimalStore } from '@animal-store/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from './harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

function clientWith(apiKey: string) {
  return createAnimalStore({ apiKey, baseUrl: `${server.url}/v1` });
}

test('the client adds, lists and gets animals, typed by the contract', async () => {
  const store = clientWith(server.key);
  const created = await store.POST('/pets', { body: { name: 'Rex', categoryId: 3, status: 'available' } });
  expect(created.data).toEqual({ id: 1, name: 'Rex', categoryId: 3, status: 'available' });
  const listed = await store.GET('/pets', { params: { query: { status: 'available', limit: 5 } } });
  expect(listed.data).toEqual([created.data]);
  const found = await store.GET('/pets/{petId}', { params: { path: { petId: 1 } } });
  expect(found.data?.name).toBe('Rex');
});

test('a refusal is a typed value, not an exception', async () => {
  const { data, error, response } = await clientWith('as_test_wrong').GET('/pets');
  expect(data).toBeUndefined();
  expect(error?.code).toBe('api_key_invalid');
  expect(response.status).toBe(401);
});

test('the requests go through the fetch that it was given', async () => {
  const sent: string[] = [];
  const store = createAnimalStore({
    apiKey: server.key,
    baseUrl: `${server.url}/v1`,
    fetch: (request) => {
      sent.push(`${request.method} ${new URL(request.url).pathname}`);
      return fetch(request);
    },
  });
  await store.GET('/pets');
  expect(sent).toEqual(['GET /v1/pets']);
});
