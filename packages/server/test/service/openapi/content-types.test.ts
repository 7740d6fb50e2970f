import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../harness.ts';

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
