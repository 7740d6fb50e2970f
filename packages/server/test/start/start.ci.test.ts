import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createService } from '@contract-first/service';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { Router } from 'express';
import { eventually } from '../../../testing/src/child.ts';
import { api as animals } from '../../src/operations/api.ts';
import { operations } from '../../src/operations/index.ts';
import { startTestServer } from '../harness.ts';
import { startProcess } from '../process.ts';
import { api as notes } from '../second-contract/operations.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The modules that a server has loaded when it has sent its first response and stopped. */
async function loadedModules(environment: Record<string, string> = {}): Promise<string> {
  const list = join(folder, 'modules.txt');
  const server = await startProcess({
    DATABASE_URL: `sqlite:${join(folder, 'a.db')}`,
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'report-modules.ts'))}`,
    LOADED_MODULES: list,
    ...environment,
  });
  const key = readFileSync(join(folder, 'a.development-key'), 'utf8').trim();
  const response = await fetch(`${server.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  return readFileSync(list, 'utf8');
}

describe('a start', () => {
  test('loads the libraries that the first response needs, and no others', async () => {
    const modules = await loadedModules();
    for (const name of ['express', 'express-openapi-validator', 'ajv']) expect(modules).toContain(`/${name}/`);
    const others = [
      '/prom-client/',
      '/pg/',
      '/@redis/client/',
      '/@opentelemetry/',
      // Node's fetch, which `import 'node:http'` brings with it.
      'NativeModule internal/deps/undici/undici',
    ];
    expect(others.filter((name) => modules.includes(name))).toEqual([]);
  });

  test('loads prom-client only when metrics are enabled', async () => {
    expect(await loadedModules({ METRICS_PORT: '0' })).toContain('/prom-client/');
  });
});

test('the first request of an operation compiles its schemas only, not those of OpenAPI, which takes 40 times as long', async () => {
  await using server = await startTestServer({ config: { validateResponses: false } });
  // Ajv compiles with `new Function`.
  const compile = jest.spyOn(globalThis, 'Function');
  try {
    const headers = { authorization: `Bearer ${server.key}` };
    expect((await fetch(`${server.url}/v1/pets`, { headers })).status).toBe(200);
    const compiled = compile.mock.calls.map((parameters) => String(parameters.at(-1)));
    expect(compiled.length).toBeGreaterThan(0);
    expect(compiled.filter((code) => code.includes('jsonSchemaDialect'))).toEqual([]);
  } finally {
    compile.mockRestore();
  }
});

test('an operation that throws is named in the log of its 500; all other operations work', async () => {
  const getPet = () => Promise.reject(new Error('not today'));
  await using server = await startTestServer({ operations: { ...operations, getPet } });
  const response = await server.call('getPet', { path: { petId: 1 } });
  expect([response.status, response.body.code]).toEqual([500, 'internal_error']);
  expect(server.log()).toContain('"err":{"type":"Error","message":"not today"');
  expect(server.log()).toMatch(/"method":"GET","path":"\/v1\/pets\/1","operation":"getPet","msg":"request failed"/);
  expect((await server.call('listPets', { query: { limit: 1 } })).status).toBe(200);
  await eventually(
    () => /"method":"GET","path":"\/v1\/pets","operation":"listPets","status":200/.test(server.log()),
    server.log,
  );
});

const settings = { NODE_ENV: 'test', PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' };

test('a program starts and stops two services independently, without signal handlers', async () => {
  const handlers = process.listenerCount('SIGTERM');
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const slow = Router().get('/slow', async (_request, response) => {
    arrived.resolve();
    await answer.promise;
    response.send('done');
  });
  const store = await createService(animals).start(settings);
  const field = await createService({ ...notes, middleware: () => ({ beforeKey: [slow] }) }).start(settings);
  expect(store.url).toBe(`http://127.0.0.1:${store.port}/v1`);
  expect((await fetch(`${store.url}/pets`)).status).toBe(401);
  const waiting = fetch(new URL('/slow', field.url));
  await arrived.promise;
  const stopped = field.stop();
  expect(await store.stop()).toBe(true);
  await expect(fetch(store.url)).rejects.toThrow();
  answer.resolve();
  expect(await (await waiting).text()).toBe('done');
  expect(await stopped).toBe(true);
  expect(process.listenerCount('SIGTERM')).toBe(handlers);
});

test('start rejects wrong settings and a port in use, and releases the database', async () => {
  const service = createService(notes);
  await expect(service.start({ ...settings, PORT: 'x' })).rejects.toThrow('PORT is "x"');
  const server = await service.start(settings);
  await expect(service.start({ ...settings, PORT: String(server.port) })).rejects.toThrow('EADDRINUSE');
  await server.stop();
});
