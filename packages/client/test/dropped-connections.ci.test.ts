import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createVirtualTime, installTime } from '../../client-core/test/virtual-time.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { seededRandom } from '../../testing/src/seeded-random.ts';
import { createAnimalStore, isNetworkError, unwrap } from '../src/index.ts';
import { type DroppingProxy, startDroppingProxy } from './dropping-proxy.ts';

const SHARE = 0.3;

let server: TestServer;
let proxy: DroppingProxy;
beforeEach(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  proxy = await startDroppingProxy(server.url, SHARE, seededRandom(500));
});
afterEach(async () => {
  await proxy.stop();
  await server.stop();
});

test('500 creations over connections that break after the server has processed them add exactly 500 animals', async () => {
  const time = createVirtualTime(server.clock, seededRandom(1));
  const apiKey = await server.createKey('business');
  const store = createAnimalStore({ apiKey, baseUrl: `${proxy.url}/v1`, ...installTime(time) });
  const names = namesOf(500);

  // As an import does: creations whose attempts have all failed are sent once more with the same key.
  const ids = await Promise.all(
    names.map(async (name) => {
      const init = { body: { name, categoryId: 1 }, params: { header: { 'Idempotency-Key': name.replace(' ', '-') } } };
      const again = (error: unknown) => (isNetworkError(error) ? undefined : Promise.reject(error));
      for (;;) {
        const pet = await unwrap(store.POST('/pets', init)).catch(again);
        if (pet !== undefined) return pet.id;
      }
    }),
  );

  expect(new Set(ids).size).toBe(500);
  expect(proxy.counts.dropped / proxy.counts.forwarded).toBeCloseTo(SHARE, 1);
  expect(await namesIn(server)).toEqual(names.toSorted());
});

test('keys that the client generates have the same effect, for every creation', async () => {
  const time = createVirtualTime(server.clock, seededRandom(2));
  const apiKey = await server.createKey('business');
  const store = createAnimalStore({ apiKey, baseUrl: `${proxy.url}/v1`, ...installTime(time) });
  const names = namesOf(100);
  const calls = names.map((name) => unwrap(store.POST('/pets', { body: { name, categoryId: 1 } })));
  const ended = await Promise.allSettled(calls);

  const errors = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(errors.every(isNetworkError)).toBe(true);
  // All three attempts fail in 0.3^3 of the cases: about 3 of 100.
  expect(errors.length).toBeLessThan(10);
  expect(await namesIn(server)).toEqual(names.toSorted());
});

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Animal ${index}`);
}

async function namesIn({ url, key, clock }: TestServer): Promise<string[]> {
  const store = createAnimalStore({
    apiKey: key,
    baseUrl: `${url}/v1`,
    ...installTime(createVirtualTime(clock, Math.random)),
  });
  const names: string[] = [];
  for await (const pet of store.pets.list({ limit: 100 })) names.push(pet.name);
  return names.toSorted();
}
