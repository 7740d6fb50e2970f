import type { OperationId } from '@animal-store/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { operationDocument } from '../../../../service/src/openapi/document.ts';
import { contract, contractDocument } from '../../contract.ts';
import { type CallParts, startTestServer, type TestServer } from '../../harness.ts';

const documentOf = (id: OperationId) => operationDocument(contract.operations[id], contract, contractDocument);

describe('operationDocument', () => {
  test('omits components that only responses or other operations refer to', () => {
    const { components } = documentOf('createPet');
    expect(Object.keys(components).sort()).toEqual(['schemas']);
    expect(Object.keys(components['schemas'] ?? {}).sort()).toEqual(['CategoryId', 'NewPet', 'PetName', 'PetStatus']);
  });
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const { Function: engine } = globalThis;
afterEach(() => {
  globalThis.Function = engine;
});

/**
 * The number of functions that are created from source text while the work runs. The validator compiles schemas in this
 * way.
 */
async function compiledBy(calls: () => Promise<void>): Promise<number> {
  let count = 0;
  globalThis.Function = new Proxy(engine, {
    construct(target, text) {
      count += 1;
      return Reflect.construct(target, text);
    },
  });
  await calls();
  return count;
}

test('an operation is compiled once, whatever Content-Type callers send', async () => {
  const body = { name: 'Rex', categoryId: 3 };
  const first = await compiledBy(async () => {
    await server.call('createPet', { body });
    await server.call('getPet', { path: { petId: 1 } });
  });
  expect(first).toBeGreaterThan(0);
  const further = await compiledBy(async () => {
    for (let number = 2; number < 12; number += 1) {
      const json = `application/json; made-up=${number}`;
      const created = await server.call('createPet', { body, headers: { 'content-type': json } });
      const found = await server.call('getPet', {
        path: { petId: number },
        headers: { 'content-type': `made/up-${number}` },
      });
      expect([created.status, found.status]).toEqual([201, 200]);
    }
  });
  expect(further).toBe(0);
});

const several: [what: string, id: OperationId, parts: CallParts, places: string[]][] = [
  [
    'an unknown parameter, one that is not an integer and one with an unknown value',
    'listPets',
    { query: 'surplus=1&limit=abc&status=lost' },
    ['query/limit', 'query/status', 'query/surplus'],
  ],
  [
    'two parameters with a list instead of one value',
    'listPets',
    { query: 'limit[]=5&x[]=5' },
    ['query/limit[]', 'query/x[]'],
  ],
  ['path and query', 'getPet', { path: { petId: '1.0' }, query: 'surplus=1' }, ['path/petId', 'query/surplus']],
  [
    'query, header and body',
    'createPet',
    { query: 'surplus=1', headers: { 'idempotency-key': 'a b' }, body: { name: '', more: 1 } },
    ['body/categoryId', 'body/more', 'body/name', 'header/Idempotency-Key', 'query/surplus'],
  ],
];

test.each(several)(
  'the response to a request with several problems names each of them once: %s',
  async (_, id, parts, places) => {
    const response = await server.call(id, parts);
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
    expect(response.body.details.map(({ where }: { where: string }) => where).sort()).toEqual(places);
  },
);

test.each([
  ['limit=abc', 'must be an integer between -(2^53-1) and 2^53-1, in plain digits'],
  ['id=1,2', 'must be an integer between -(2^53-1) and 2^53-1, in plain digits'],
  ['limit=0', 'must be at least 1'],
  ['limit=101', 'must be at most 100'],
  ['status=lost', 'must be one of available, pending, sold'],
  ['id=1&id=1', 'must not contain a value twice'],
  ['status=', 'must not be empty'],
  ['limit=', 'must not be empty'],
  ['surplus=', 'is unknown'],
])('?%s has one problem: %s', async (query, what) => {
  const response = await server.call('listPets', { query });
  expect(response.body.details).toEqual([{ where: `query/${query.split('=')[0]}`, what }]);
});

test.each([
  [{ name: '', categoryId: 3 }, 'name', 'must not be empty'],
  [{ name: 'R'.repeat(256), categoryId: 3 }, 'name', 'must have at most 255 characters'],
  [{ name: 7, categoryId: 3 }, 'name', 'must be a string'],
  [{ name: 'Rex', categoryId: 'three' }, 'categoryId', 'must be an integer'],
  [{ name: 'Rex' }, 'categoryId', 'is required'],
])('the body %j has one problem: %s %s', async (body, property, what) => {
  const response = await server.call('createPet', { body });
  expect(response.body.details).toEqual([{ where: `body/${property}`, what }]);
});

test('a body with two properties where one is allowed has one problem in the singular', async () => {
  const response = await server.call('setSandboxClock', { body: { advanceSeconds: 1, time: '2031-01-01T00:00:00Z' } });
  expect(response.body.details).toEqual([{ where: 'body', what: 'must have at most 1 property' }]);
});

test('a change to an unknown status names the allowed ones, null included', async () => {
  const headers = { 'if-match': '*' };
  const response = await server.call('updatePet', { path: { petId: 1 }, body: { status: 'lost' }, headers });
  expect(response.body.details).toEqual([
    { where: 'body/status', what: 'must be one of available, pending, sold, null' },
  ]);
});
