import { setImmediate } from 'node:timers/promises';
import * as constants from '@animal-store/contract';
import { replyExamples } from '@animal-store/contract/examples';
import * as schemas from '@animal-store/contract/requests';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setupServer } from 'msw/node';
import { createMocks } from '../../client-core/src/mocks/create-mocks.ts';
import { contractEntries } from '../../contract/test/contract.ts';
import { compiled, routeOf } from '../../server/test/contract.ts';
import { createResponseCheck } from '../../service/src/openapi/response-check.ts';
import { createAnimalStore, isTimeoutError, rateLimitOf, unwrap } from '../src/index.ts';
import { animalStoreMocks } from '../src/mocks/index.ts';

const { limits, operations } = constants;
const contract = { ...constants, ...schemas, replyExamples };
const noStore = { data: {}, resolvers: {}, refresh: () => {}, reset: () => {} };
const baseUrl = 'https://api.animal-store.example/v1';
const mocks = animalStoreMocks({ baseUrl });
const server = setupServer(...mocks.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  server.resetHandlers();
  mocks.reset();
});
afterAll(() => server.close());

const store = createAnimalStore({
  apiKey: 'as_test_any',
  baseUrl,
  maxRetryAfter: 0,
});

const ids = Object.keys(operations).filter((id): id is constants.OperationId => id in operations);

/** Every example of every documented response: operation, status, name, body. */
const documented = ids.flatMap((id) => {
  const { method, path } = operations[id];
  const responses = ['paths', path, method.toLowerCase(), 'responses'];
  return contractEntries(...responses).flatMap(([status]) =>
    contractEntries(...responses, status, 'content', 'application/json', 'examples').map(
      ([name, example]) => [id, Number(status), name, Object(example).value] as const,
    ),
  );
});

const { check } = createResponseCheck(compiled);

/** The mocks' response to a valid request, after the check against the contract that the server's responses must pass. */
async function call(id: constants.OperationId): Promise<{ status: number; headers: Headers; body: unknown }> {
  const { method, path } = operations[id];
  const bodies = contractEntries('paths', path, method.toLowerCase(), 'requestBody', 'content');
  const [[type = '', { examples }] = ['', { examples: {} }]] = bodies.map(([name, media]) => [name, Object(media)]);
  const [example] = Object.values<{ value?: unknown }>(examples);
  const response = await fetch(`${baseUrl}${path.replaceAll(/\{\w+\}/g, '1')}`, {
    method,
    headers: { Authorization: 'Bearer as_test_any', 'Content-Type': type, 'If-Match': '*' },
    ...(example === undefined ? {} : { body: JSON.stringify(example.value) }),
  });
  const text = await response.text();
  const { status, headers } = response;
  const contentType = headers.get('content-type') ?? undefined;
  const body = contentType === undefined ? undefined : text;
  const outgoing = { status, headers: {}, body, contentType };
  check(routeOf(id), outgoing, Object.fromEntries(headers));
  return { status, headers, body: contentType?.endsWith('json') ? JSON.parse(text) : body };
}

/** The mocks without the types of the contract. */
type Untyped = Record<string, Record<number, string>>;
type AnyTypes = Record<string, { responses: Record<number, unknown> }>;
const untyped = createMocks<Untyped, AnyTypes, unknown>(contract, { baseUrl }, noStore);

describe('a mock responds as documented, with status, headers and body:', () => {
  test.each(documented)('%s %i %s', async (id, status, example, body) => {
    server.use(untyped.reply(id, status, { example }));
    expect(await call(id)).toMatchObject({ status, body });
  });

  test('an operation without a resolver responds with the example of its success', async () => {
    server.use(...createMocks(contract, { baseUrl }, noStore).handlers);
    for (const id of ids) {
      const { status } = await call(id);
      expect([id, status < 300]).toEqual([id, true]);
    }
  });

  test('a status or example that the contract does not document is refused at once, with a list of those that exist', () => {
    expect(() => untyped.reply('listPets', 200, { example: 'full' })).toThrow(/full for listPets 200.*page, empty/);
    expect(() => untyped.reply('listPets', 404)).toThrow('The contract does not document 404 for listPets.');
  });
});

describe('a client handles them like the API:', () => {
  test('the quota', async () => {
    const before = Date.now();
    const { response } = await store.GET('/pets');
    expect(rateLimitOf(response)).toMatchObject({ limit: 60, remaining: 59 });
    const ends = store.rateLimit?.reset.getTime() ?? 0;
    expect(ends % 60_000).toBe(0);
    expect(ends).toBeGreaterThan(before);
    expect(ends - Date.now()).toBeLessThanOrEqual(61_000);
  });

  test('a 429, after which no requests are left until Retry-After', async () => {
    server.use(mocks.reply('listPets', 429, { headers: { 'Retry-After': '20' } }));
    const limited = createAnimalStore({ apiKey: 'as_test_any', baseUrl, maxRetryAfter: 0 });
    await expect(unwrap(limited.GET('/pets'))).rejects.toMatchObject({
      name: 'RateLimitError',
      rateLimit: { remaining: 0 },
    });
  });

  test('a temporary conflict is retried, and others are not', async () => {
    server.use(mocks.reply('createOrder', 409, { example: 'running', headers: { 'Retry-After': '0' }, once: true }));
    const patient = createAnimalStore({ apiKey: 'as_test_any', baseUrl, firstDelay: 0 });
    expect((await patient.POST('/store/orders', { body: { petId: 1 } })).data).toMatchObject({ status: 'placed' });
    server.use(mocks.reply('createOrder', 409, { once: true }));
    expect((await patient.POST('/store/orders', { body: { petId: 1 } })).error?.code).toBe('pet_not_available');
  });
});

describe('the mocked store', () => {
  const bob = { name: 'Bob', categoryId: 3, status: 'available' } as const;
  const add = () => unwrap(store.POST('/pets', { body: bob }));

  test('ends an order that has expired, and makes its animal available', async () => {
    const placed = (createdAt: string, expiresAt: string) =>
      ({ petId: 7, status: 'placed', createdAt, expiresAt }) as const;
    const orders = [{ id: 1, ...placed('2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z') }];
    const own = animalStoreMocks({ baseUrl, data: { pets: [{ id: 7, ...bob, status: 'pending' }], orders } });
    server.use(...own.handlers);
    const path = { orderId: 1 };
    expect((await unwrap(store.GET('/store/orders/{orderId}', { params: { path } }))).status).toBe('expired');
    const { error } = await store.POST('/store/orders/{orderId}/complete', { params: { path } });
    expect(error).toMatchObject({ code: 'order_not_placed', message: expect.stringContaining('has expired') });
    const again = await unwrap(store.POST('/store/orders', { body: { petId: 7 } }));
    expect(Date.parse(again.expiresAt) - Date.parse(again.createdAt)).toBe(limits.orderSeconds * 1_000);
    expect(own.data.pets[0]?.status).toBe('pending');
  });

  test('starts with the given content, shows it, and restores it on a reset', async () => {
    const own = animalStoreMocks({ baseUrl, data: { pets: [{ id: 7, ...bob }] } });
    server.use(...own.handlers);
    await add();
    expect(own.data.pets.map(({ id }) => id)).toEqual([7, 8]);
    own.reset();
    expect(own.data).toEqual({ pets: [{ id: 7, ...bob }], orders: [] });
    expect((await add()).id).toBe(8);
  });
});

test('after a mocked 429 and `reset`, a client that tests share sends again, and so does a new client', async () => {
  const create = () => createAnimalStore({ apiKey: 'as_test_any', baseUrl, maxRetryAfter: 0 });
  const shared = create();
  const sent = async (client: typeof shared) => (await client.GET('/pets')).error?.sent ?? 'success';
  server.use(mocks.reply('listPets', 429));
  expect([await sent(shared), await sent(shared)]).toEqual([true, false]);
  server.resetHandlers();
  mocks.reset();
  expect([await sent(shared), await sent(create())]).toEqual(['success', 'success']);
});

test('a call that waits because of a mocked 429 is sent after `reset`, and holds no other back', async () => {
  const refused = Promise.withResolvers<void>();
  const onEvent = ({ type }: { type: string }) => type === 'retry' && refused.resolve();
  const shared = createAnimalStore({ apiKey: 'as_test_any', baseUrl, onEvent, maxRetryAfter: 1_000_000 });
  server.use(mocks.reply('listPets', 429, { headers: { 'Retry-After': '900' } }));
  const waiting = shared.GET('/pets');
  await refused.promise;
  // The call now waits for its turn.
  await setImmediate();
  server.resetHandlers();
  mocks.reset();
  const statuses = (await Promise.all([shared.GET('/pets'), waiting])).map(({ response }) => response.status);
  expect(statuses).toEqual([200, 200]);
});

describe('a resolver', () => {
  test('computes the response from the validated request', async () => {
    server.use(
      mocks.resolve('createPet', ({ body }) => ({
        status: 201,
        body: { id: 9, ...body, name: body.name.toUpperCase() },
      })),
      mocks.resolve('listPets', async ({ query: { limit } }) => ({
        status: 200,
        body: [{ id: limit ?? 0, name: 'A', categoryId: 1 }],
      })),
    );
    expect(await unwrap(store.POST('/pets', { body: { name: 'Bob', categoryId: 3 } }))).toMatchObject({ name: 'BOB' });
    // The default of the contract.
    expect(await unwrap(store.GET('/pets'))).toMatchObject([{ id: 20 }]);
    expect((await store.POST('/pets', { body: { name: '', categoryId: 3 } })).error?.code).toBe('invalid_request');
  });

  test('chooses an example by its status, or leaves the request to the store', async () => {
    server.use(mocks.resolve('getPet', ({ path }) => (path.petId === 2 ? { status: 404 } : undefined)));
    const codeOf = async (petId: number) => {
      const { data, error } = await store.GET('/pets/{petId}', { params: { path: { petId } } });
      return data?.name ?? error?.code;
    };
    expect([await codeOf(1), await codeOf(2)]).toEqual(['Rex', 'pet_not_found']);
  });
});

test('a response can be late, or missing', async () => {
  const impatient = createAnimalStore({ apiKey: 'as_test_any', baseUrl, maxRetries: 0 });
  server.use(mocks.reply('listPets', 200, { delay: 50, once: true }));
  const started = performance.now();
  expect(await unwrap(store.GET('/pets'))).toHaveLength(2);
  expect(performance.now() - started).toBeGreaterThanOrEqual(49);
  server.use(mocks.reply('listPets', 200, { delay: 'infinite', once: true }));
  expect(isTimeoutError(await impatient.GET('/pets', { timeout: 100 }).catch((error: unknown) => error))).toBe(true);
});
