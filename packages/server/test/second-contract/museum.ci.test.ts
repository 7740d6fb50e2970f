import { describe, expect, test } from '@jest/globals';
import type { AnyOperations } from '../../../service/src/contract/operation.ts';
import { museumContract, museumResponses } from '../../../tooling/test/museum-fixture.ts';
import { startDocument } from './start-document.ts';

const room = { name: 'East wing' };

const operations: AnyOperations = {
  getRoom: async () => ({ status: 200, body: { id: 1, ...room } }),
  createRoom: async ({ body }) => ({ status: 200, body: withoutDoorCode(body) }),
  createWork: async ({ body }) => ({ status: 200, body }),
  getAny: async ({ path }) => ({ status: 200, body: path }),
};

function withoutDoorCode(body: unknown): object {
  const { doorCode, ...sent } = Object(body);
  return { id: 1, ...sent };
}

const startMuseum = (changes: Parameters<typeof museumContract>[0] = {}) =>
  startDocument(museumContract(changes), operations);

const problems = (details: object[]) => [400, expect.objectContaining({ details })];

describe('composed schemas', () => {
  test('are checked in requests and responses', async () => {
    await using museum = await startMuseum();
    const { send } = museum;
    expect(await send('/museum/v2/rooms/1')).toEqual([200, { id: 1, ...room }]);
    const sent = { ...room, doorCode: '123', phone: 'not one' };
    expect(await send('/museum/v2/rooms', sent)).toEqual([200, { id: 1, ...room, phone: 'not one' }]);
    expect(await send('/museum/v2/rooms', { name: 7 })).toEqual(
      problems([
        { where: 'body/name', what: 'must be a string' },
        { where: 'body/doorCode', what: 'is required' },
      ]),
    );
    expect(await send('/museum/v2/rooms', { ...sent, id: 7 })).toEqual(
      problems([{ where: 'body/id', what: 'is read-only' }]),
    );
    const statue = { kind: 'statue', title: 'x', stone: 'marble' };
    expect(await send('/museum/v2/works', statue)).toEqual([200, statue]);
    expect(await send('/museum/v2/works', { kind: 'statue', title: 'x' })).toEqual(
      problems([{ where: 'body/stone', what: 'is required' }]),
    );
  });
});

describe('the base path', () => {
  test.each([
    ['https://api.museum.example', ''],
    ['/v2', '/v2'],
    ['https://api.museum.example/museum/v2', '/museum/v2'],
  ])('of %s is %j', async (url, basePath) => {
    await using museum = await startMuseum({ serverUrls: [url] });
    const { send } = museum;
    expect(await send(`${basePath}/rooms/1`)).toEqual([200, { id: 1, ...room }]);
    expect((await send(`/${basePath}/rooms/1`))[0]).toBe(404);
    const unknown = `${basePath}/elsewhere`;
    expect([(await send(unknown))[0], (await send(unknown, undefined, ''))[0]]).toEqual([404, 401]);
    expect(await send('/docs/site.json')).toEqual([
      200,
      expect.objectContaining({ baseUrl: museum.origin + basePath }),
    ]);
    expect(await send('/openapi.json')).toEqual([
      200,
      expect.objectContaining({
        servers: expect.arrayContaining([expect.objectContaining({ url: museum.origin + basePath })]),
      }),
    ]);
  });

  test('may be empty, and the pages of the server come before parameters in paths', async () => {
    const get = (operationId: string, parameter: string) => ({
      get: {
        operationId,
        parameters: [{ name: parameter, in: 'path', required: true, schema: { type: 'string' } }],
        responses: museumResponses({}),
      },
    });
    await using museum = await startMuseum({
      serverUrls: ['https://api.museum.example'],
      paths: { '/{any}': get('getAny', 'any') },
    });
    const { send } = museum;
    expect(await send('/elsewhere')).toEqual([200, { any: 'elsewhere' }]);
    expect(await send('/readyz')).toEqual([200, { status: 'ready' }]);
    expect((await send('/docs'))[0]).toBe(302);
    expect((await send('/'))[0]).toBe(302);
    expect((await send('/healthz', {}, ''))[0]).toBe(405);
    // There are no docs of this contract.
    expect((await send('/docs/guide.html', undefined, ''))[0]).toBe(503);
  });
});
