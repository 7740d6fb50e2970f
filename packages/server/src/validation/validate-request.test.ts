import type { OperationId } from '@animal-store/contract';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CallParts, startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const several: [what: string, id: OperationId, parts: CallParts, places: string[]][] = [
  ['two unknown parameters', 'listPets', { query: 'one=1&two=2' }, ['query/one', 'query/two']],
  [
    'an unknown parameter, one that is no integer and one of no known value',
    'listPets',
    { query: 'surplus=1&limit=abc&status=lost' },
    ['query/limit', 'query/status', 'query/surplus'],
  ],
  [
    'a parameter out of range and an empty one',
    'listPets',
    { query: 'limit=0&cursor=' },
    ['query/cursor', 'query/limit'],
  ],
  ['an empty parameter and an unknown one', 'listPets', { query: 'status=&a=' }, ['query/a', 'query/status']],
  [
    'a list where one value is wanted, twice over',
    'listPets',
    { query: 'limit[]=5&x[]=5' },
    ['query/limit', 'query/x'],
  ],
  ['path and query', 'getPet', { path: { petId: '1.0' }, query: 'surplus=1' }, ['path/petId', 'query/surplus']],
  [
    'query, header and body',
    'createPet',
    { query: 'surplus=1', headers: { 'idempotency-key': 'a b' }, body: { name: '', more: 1 } },
    ['body/categoryId', 'body/more', 'body/name', 'header/Idempotency-Key', 'query/surplus'],
  ],
];

test.each(several)('a request with several problems is told each of them once: %s', async (_, id, parts, places) => {
  const reply = await server.call(id, parts);
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
  expect(reply.body.details.map(({ where }: { where: string }) => where).sort()).toEqual(places);
});

test.each([
  ['limit=abc', 'must be an integer in plain digits, between -(2^53-1) and 2^53-1'],
  ['status=', 'must not be empty'],
  ['limit=', 'must not be empty'],
  ['surplus=', 'is unknown'],
])('?%s has one problem: %s', async (query, what) => {
  const reply = await server.call('listPets', { query });
  expect(reply.body.details).toEqual([{ where: `query/${query.split('=')[0]}`, what }]);
});
