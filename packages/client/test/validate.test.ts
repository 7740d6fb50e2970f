import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import * as fixture from '../../client-core/test/fixture/generated/responses.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type AnimalStoreOptions, createAnimalStore, unwrap } from '../src/index.ts';
import { createResponseValidator, validateResponse } from '../src/validate/index.ts';

const rex = { id: 1, name: 'Rex', categoryId: 3 };

/** A client of a server that sends this response. */
function clientOf(body: unknown, init: ResponseInit = {}, options: Pick<AnimalStoreOptions, 'validate'> = {}) {
  const fetch = async () => Response.json(body, init);
  return createAnimalStore({ apiKey: 'a', baseUrl: 'http://api.example/v1', maxRetries: 0, fetch, ...options });
}

describe('the responses of the server are valid:', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  test('data and errors', async () => {
    const store = createAnimalStore({
      apiKey: server.key,
      baseUrl: `${server.url}/v1`,
      onDeprecated: false,
      validate: validateResponse,
    });
    const body = { name: 'Rex', categoryId: 3, status: 'available' as const };
    const pet = await unwrap(store.POST('/pets', { body }));
    const order = await unwrap(store.POST('/store/orders', { body: { petId: pet.id } }));
    expect(await unwrap(store.GET('/pets'))).toEqual([{ ...pet, status: 'pending' }]);
    expect(await unwrap(store.GET('/store/orders'))).toEqual([order]);
    expect((await unwrap(store.GET('/key'))).plan).toBe('business');
    const { error } = await store.GET('/pets/{petId}', { params: { path: { petId: 9 } } });
    expect(error?.code).toBe('pet_not_found');
    const refused = await store.GET('/pets', { params: { query: { limit: 1_000 } } });
    expect(refused.response.headers.get('Content-Type')).toContain('json');
    expect(validateResponse(await responseOf('GET /pets', refused))).toBeUndefined();
  });
});

/** An error as the validator receives it, without the properties that the client has added. */
async function responseOf(operation: string, { error, response }: { error?: object; response: Response }) {
  const { attempts, sent, idempotencyKey, requestId, ...body }: Record<string, unknown> = { ...error };
  return { operation, status: response.status, mediaType: response.headers.get('Content-Type') ?? '', body };
}

describe('an invalid response is an error that names the operation or the place:', () => {
  test.each<[string, unknown, ResponseInit, string]>([
    ['a property is missing', [rex, { id: 2, name: 'Mia' }], {}, 'body/1/categoryId is required'],
    ['a value has another type', [{ ...rex, id: '1' }], {}, 'body/0/id must be an integer'],
    ['an object instead of a list', rex, {}, 'body must be an array'],
    ['an undocumented status', [], { status: 202 }, 'the contract has no 202 of GET /pets'],
    [
      'another media type',
      [],
      { headers: { 'Content-Type': 'application/hal+json' } },
      'the contract has no application/hal+json in the 200 of GET /pets',
    ],
  ])('%s', async (_, body, init, message) => {
    const { data, error } = await clientOf(body, init).GET('/pets');
    expect(data).toBeUndefined();
    expect(error).toMatchObject({ code: 'unexpected_response', message: expect.stringContaining(message) });
  });

  test('an error without a body', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '0' };
    const fetch = async () => new Response(null, { status: 400, headers });
    const store = createAnimalStore({
      apiKey: 'a',
      baseUrl: 'http://api.example/v1',
      fetch,
    });
    expect((await store.GET('/pets')).error?.message).toBe('Not an API response (400): body is missing.');
  });

  test('a property that a newer version of the API adds is valid', async () => {
    const pets = [{ ...rex, nickname: 'Rexy' }];
    expect(
      (await clientOf(pets, { headers: { 'Content-Type': 'application/json; charset=utf-8' } }).GET('/pets')).data,
    ).toEqual(pets);
  });
});

describe('without an option,', () => {
  const { NODE_ENV = '' } = process.env;
  afterEach(() => {
    process.env['NODE_ENV'] = NODE_ENV;
  });

  test.each(['development', 'test'])('responses are validated if NODE_ENV is %s', async (environment) => {
    process.env['NODE_ENV'] = environment;
    expect((await clientOf(rex).GET('/pets')).error?.code).toBe('unexpected_response');
  });

  test.each(['production', ''])('nothing is validated if NODE_ENV is "%s"', async (environment) => {
    process.env['NODE_ENV'] = environment;
    expect((await clientOf(rex).GET('/pets')).data).toEqual(rex);
    const checked = clientOf(rex, {}, { validate: validateResponse });
    expect((await checked.GET('/pets')).error?.code).toBe('unexpected_response');
  });
});

test('with `validate: false`, nothing is validated', async () => {
  expect((await clientOf(rex, {}, { validate: false }).GET('/pets')).data).toEqual(rex);
});

test('another contract has its own validator', () => {
  const validate = createResponseValidator(fixture);
  const response = { operation: 'GET /files', status: 200, mediaType: 'application/json' };
  expect(validate({ ...response, body: [] })).toBeUndefined();
  expect(validate({ ...response, body: {} })).toContain('body');
});
