import { readFileSync } from 'node:fs';
import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { completeContract } from '../../tooling/src/project.ts';
import { openStorage } from '../src/operations/storage/index.ts';
import { startTestServer, type TestServer } from './harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('the contract is served as written, and as JSON, to any origin and without a key', async () => {
  const yaml = await fetch(`${server.url}/openapi.yaml`);
  expect([yaml.status, await yaml.text()]).toEqual([200, readFileSync(completeContract, 'utf8')]);
  expect(yaml.headers.get('access-control-allow-origin')).toBe('*');
  const json = await fetch(`${server.url}/openapi.json`);
  expect(json.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await json.json()).toEqual(JSON.parse(contractJson));
});

test.each(['', '/docs'])('%s redirects to the docs', async (path) => {
  const response = await fetch(`${server.url}${path}`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/docs/']);
});

test.each(['/docs/0.0.0', '/docs/latest', '/docs/..%2f..', '/docs/1.0', '/docs/0.0.0/openapi.yaml'])(
  '%s is not a page',
  async (path) => {
    const response = await fetch(`${server.url}${path}`);
    expect([response.status, (await response.json()).code]).toEqual([404, 'route_not_found']);
  },
);

test.each(['/docs', '/docs/', '/llms.txt', '/openapi.yaml', '/healthz', '/readyz'])('%s is read-only', async (path) => {
  const response = await fetch(`${server.url}${path}`, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(await response.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
  expect((await fetch(`${server.url}${path}`, { method: 'HEAD' })).status).toBeLessThan(504);
});

test('docs and health need no key and are not counted', async () => {
  const before = (await server.call('listPets', { key: null })).headers.get('x-ratelimit-remaining');
  await fetch(`${server.url}/docs/`);
  expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok' });
  expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' });
  const after = (await server.call('listPets', { key: null })).headers.get('x-ratelimit-remaining');
  expect(Number(after)).toBe(Number(before) - 1);
});

test('readyz is 503 while draining, as long as new connections are still accepted', async () => {
  await using draining = await startTestServer({ config: { drainDelay: 300 } });
  const stopped = draining.stop();
  const response = await fetch(`${draining.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([503, { status: 'draining' }]);
  const call = await draining.call('listPets');
  expect([call.status, call.headers.get('connection')]).toEqual([200, 'close']);
  await stopped;
  await expect(fetch(`${draining.url}/readyz`)).rejects.toThrow();
});

test('readyz is 503 while the storage does not answer; healthz stays 200', async () => {
  const storage = await openStorage('sqlite::memory:');
  await using broken = await startTestServer({
    storage: {
      ...storage,
      reader: storage.reader,
      keys: storage.keys,
      usage: storage.usage,
      ping: () => Promise.reject(new Error('away')),
    },
  });
  const response = await fetch(`${broken.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([503, { status: 'storage unavailable' }]);
  expect((await fetch(`${broken.url}/healthz`)).status).toBe(200);
});
