import { type OperationId, operations } from '@animal-store/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setupServer } from 'msw/node';
import { contractAt, contractEntries } from '../../contract/test/contract.ts';
import { createResponseCheck } from '../../server/src/contract/response-check.ts';
import { createAnimalStore, type DeprecationNotice, paginate, rateLimitOf, unwrap } from '../src/index.ts';
import { handlerOf, storeContract } from '../src/mocks/animal-store-mocks.ts';
import { animalStoreMocks } from '../src/mocks/index.ts';

const baseUrl = 'https://api.animal-store.example/v1';
const mocks = animalStoreMocks({ baseUrl });
const server = setupServer(...mocks.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const notices: DeprecationNotice[] = [];
const store = createAnimalStore({
  apiKey: 'as_test_any',
  baseUrl,
  maxRetryAfter: 0,
  onDeprecated: (notice) => void notices.push(notice),
});

const ids = Object.keys(operations).filter((id): id is OperationId => id in operations);

/** Every example of every documented reply: operation, status, name, body. */
const documented = ids.flatMap((id) => {
  const { method, path } = operations[id];
  const responses = ['paths', path, method.toLowerCase(), 'responses'];
  return contractEntries(...responses).flatMap(([status]) =>
    contractEntries(...responses, status, 'content', 'application/json', 'examples').map(
      ([name, example]) => [id, Number(status), name, Object(example).value] as const,
    ),
  );
});

const { check } = createResponseCheck();

/** What the mocks answer, once it has been held to the contract as the replies of the server are. */
async function call(id: OperationId): Promise<{ status: number; headers: Headers; body: unknown }> {
  const { method, path } = operations[id];
  const response = await fetch(`${baseUrl}${path.replaceAll(/\{\w+\}/g, '1')}`, { method });
  const text = await response.text();
  const { status, headers } = response;
  const body = text === '' ? undefined : text;
  const contentType = headers.get('content-type') ?? undefined;
  const outgoing = { status, headers: {}, body, contentType };
  check({ kind: 'operation', id, parameters: {} }, outgoing, Object.fromEntries(headers));
  return { status, headers, body: body === undefined ? undefined : JSON.parse(body) };
}

describe('a mock gives a reply as documented, status, headers and body:', () => {
  test.each(documented)('%s %i %s', async (id, status, example, body) => {
    server.use(handlerOf(storeContract, baseUrl, id, status, { example }));
    expect(await call(id)).toMatchObject({ status, body });
  });

  test('each operation answers with its success when nothing else is asked for', async () => {
    for (const id of ids) {
      const { status, headers } = await call(id);
      expect([id, status < 300]).toEqual([id, true]);
      expect([id, headers.get('X-Stability')]).toEqual([id, operations[id].stability === 'beta' ? 'beta' : null]);
      expect([id, headers.has('Sunset')]).toEqual([id, operations[id].deprecation !== null]);
    }
  });

  test('what the contract does not document is refused at once, with what there is', () => {
    expect(() => handlerOf(storeContract, baseUrl, 'listPets', 200, { example: 'full' })).toThrow(
      /full for listPets 200.*page, empty/,
    );
    expect(() => handlerOf(storeContract, baseUrl, 'listPets', 404, {})).toThrow(
      'The contract does not document 404 for listPets.',
    );
  });
});

describe('a client takes them for the API:', () => {
  test('the quota', async () => {
    const { response } = await store.GET('/pets');
    expect(rateLimitOf(response)).toMatchObject({ limit: 60, remaining: 59 });
    const ends = store.rateLimit?.reset.getTime() ?? 0;
    expect(ends % 60_000).toBe(0);
    expect(ends - Date.now()).toBeGreaterThan(0);
    expect(ends - Date.now()).toBeLessThanOrEqual(61_000);
  });

  test('pages, by the Link header', async () => {
    const names = [];
    for await (const { name } of paginate(store, '/pets', { params: { query: { limit: 1 } } })) names.push(name);
    expect(names).toEqual(['Rex', 'Mia']);
  });

  test('a filter', async () => {
    const listed = async (status: 'available' | 'sold') =>
      unwrap(store.GET('/pets', { params: { query: { status } } }));
    expect((await listed('available')).map(({ name }) => name)).toEqual(['Rex']);
    expect(await listed('sold')).toEqual([]);
  });

  test('a deprecated operation, with what takes its place', async () => {
    await store.GET('/pets/{petId}', { params: { path: { petId: 1 } } });
    const sunset = new Date(String(contractAt('paths', '/pets/{petId}', 'get', 'x-deprecation', 'sunset')));
    expect(notices).toMatchObject([{ sunset, successor: `${baseUrl}/pets` }]);
  });

  test('where something was added', async () => {
    const { response } = await store.POST('/store/orders', { body: { petId: 1 } });
    expect(response.headers.get('Location')).toBe(`${baseUrl}/store/orders/1`);
  });

  test('a 429, after which nothing is left until Retry-After', async () => {
    server.use(mocks.reply('listPets', 429, { headers: { 'Retry-After': '20' } }));
    const limited = createAnimalStore({ apiKey: 'as_test_any', baseUrl, maxRetryAfter: 0 });
    await expect(unwrap(limited.GET('/pets'))).rejects.toMatchObject({
      name: 'RateLimitError',
      retryAfter: 20_000,
      rateLimit: { remaining: 0 },
    });
  });

  test('a conflict that passes is tried again, another one is not', async () => {
    server.use(mocks.reply('createOrder', 409, { example: 'running', headers: { 'Retry-After': '0' }, once: true }));
    const patient = createAnimalStore({ apiKey: 'as_test_any', baseUrl, random: () => 0 });
    expect((await patient.POST('/store/orders', { body: { petId: 1 } })).data).toMatchObject({ status: 'placed' });
    server.use(mocks.reply('createOrder', 409, { once: true }));
    expect((await patient.POST('/store/orders', { body: { petId: 1 } })).error?.code).toBe('pet_not_available');
  });
});

test('a body of one’s own is filtered and paged, too', async () => {
  const pets = Array.from({ length: 45 }, (_, index) => ({ id: index + 1, name: `Pet ${index + 1}`, categoryId: 1 }));
  server.use(mocks.reply('listPets', 200, { body: pets }));
  const sizes = [];
  for await (const page of paginate(store, '/pets').pages()) sizes.push(page.length);
  expect(sizes).toEqual([20, 20, 5]);
});
