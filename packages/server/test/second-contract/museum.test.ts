import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Contract } from '../../../service/src/common/contract.ts';
import { readConfig } from '../../../service/src/config/config.ts';
import type { AnyOperations } from '../../../service/src/contract/operation.ts';
import { startServer } from '../../../service/src/start.ts';
import { generateConstants } from '../../../tooling/src/generate/constants.ts';
import { museumContract, museumResponses } from '../../../tooling/test/museum-fixture.ts';
import { api as notes } from './operations/api.ts';

type Museum = AsyncDisposable & {
  origin: string;
  send: (path: string, body?: object, key?: string) => Promise<[number, unknown]>;
};

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

/** Starts a server of the museum in development, with the key that it makes for itself. */
async function startMuseum(changes: Parameters<typeof museumContract>[0] = {}): Promise<Museum> {
  const document = museumContract(changes);
  const constants = [...generateConstants(document).matchAll(/export const (\w+) = ([\s\S]*?) as const;\n/g)];
  const facts = Object.fromEntries(constants.map(([, name, value = '']) => [name, JSON.parse(value)]));
  const contract: Contract = { ...facts, version: document.info.version, json: JSON.stringify(document) };
  const config = readConfig({
    NODE_ENV: 'development',
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    VALIDATE_RESPONSES: 'true',
  });
  const implemented = Object.fromEntries(
    Object.entries(operations).filter(([id]) => Object.hasOwn(contract.operations, id)),
  );
  const log = pino({ level: 'silent' });
  const server = await startServer({
    service: { ...notes, operations: implemented, contract },
    config,
    log,
    timeouts: { lastRequest: 0 },
  });
  const secret = await server.developmentKey();
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    async send(path, body, key = secret) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(origin + path, { headers, redirect: 'manual', ...sent });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return [response.status, isJson ? JSON.parse(text) : text];
    },
    [Symbol.asyncDispose]: async () => void (await server.stop()),
  };
}

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
