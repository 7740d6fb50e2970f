import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { platform } from '../../client-core/src/options.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type AnimalStoreOptions, createAnimalStore, unwrap } from '../src/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

function clientWith(options: Partial<AnimalStoreOptions>) {
  return createAnimalStore({ apiKey: server.key, baseUrl: `${server.url}/v1`, onDeprecated: false, ...options });
}

describe('an apiKey that is a function', () => {
  test('is called once for many calls, and again after a 401', async () => {
    const keys = ['as_test_expired', server.key];
    let asked = 0;
    const store = clientWith({ apiKey: async () => keys[Math.min(asked++, 1)] ?? '' });
    const pets = await Promise.all(Array.from({ length: 20 }, () => unwrap(store.GET('/pets'))));
    expect([pets.length, asked]).toEqual([20, 2]);
  });

  test('is called again at most once per call', async () => {
    let asked = 0;
    const store = clientWith({ apiKey: () => `as_test_wrong${asked++}` });
    const { error } = await store.POST('/pets', { body: { name: 'Rex', categoryId: 3 } });
    expect([error?.code, asked]).toEqual(['api_key_invalid', 2]);
  });

  test('is called once for all calls that get 401 together', async () => {
    const keys = ['as_test_expired', server.key, 'as_test_stale'];
    let asked = 0;
    const apiKey = async () => {
      const key = keys[asked++] ?? '';
      await setTimeout(20);
      return key;
    };
    const answers: Promise<void>[] = [];
    const store = clientWith({
      apiKey,
      // The first ten responses arrive together.
      fetch: async (request) => {
        const response = await fetch(request);
        answers.push(setTimeout(answers.length < 10 ? 100 : 0));
        await answers.at(-1);
        return response;
      },
    });
    const pets = await Promise.all(Array.from({ length: 10 }, () => unwrap(store.GET('/pets'))));
    expect([pets.length, asked]).toEqual([10, 2]);
  });

  test('that fails or returns no key fails the call with its error', async () => {
    const down = new Error('vault is down');
    await expect(clientWith({ apiKey: () => Promise.reject(down) }).GET('/pets')).rejects.toBe(down);
    await expect(clientWith({ apiKey: () => '' }).GET('/pets')).rejects.toThrow('`apiKey` must be a key');
  });
});

test('a logger receives every event at its level, and never the key', async () => {
  const lines: string[] = [];
  const log = (level: string) => (message: string, event?: object) =>
    void lines.push(`${level} ${message} ${JSON.stringify(event)}`);
  Object.assign(platform, { clock: () => server.clock.now });
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn') };
  const store = createAnimalStore({
    apiKey: await server.createKey('free'),
    baseUrl: `${server.url}/v1`,
    logger,
    maxRetryAfter: 0,
  });
  await store.GET('/pets/{petId}', { params: { path: { petId: 1 } } });
  for (let call = 0; call < 60; call += 1) await store.GET('/pets');
  expect(lines.slice(0, 5).map((line) => line.split(' {')[0])).toEqual([
    'debug start',
    'debug request',
    'debug response',
    `warn GET /pets/{petId} is deprecated: use ${server.url}/v1/pets. undefined`,
    'debug end',
  ]);
  expect(lines.filter((line) => line.startsWith('info')).map((line) => line.split(' {')[0])).toEqual(['info gate']);
  expect(lines.join('')).not.toContain('as_test');
});

test('the User-Agent names the client and its version, outside of browsers', async () => {
  const sent: (string | null)[] = [];
  const store = clientWith({
    fetch: (request) => {
      sent.push(request.headers.get('User-Agent'));
      return fetch(request);
    },
  });
  await store.GET('/pets');
  expect(sent).toEqual([expect.stringMatching(/^animal-store-client\/\d+\.\d+\.\d+(-dev)?$/)]);
});
