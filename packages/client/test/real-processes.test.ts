import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';

/** The server uses the system clock, so quotas and bans last as long as they do for users. */
let server: TestServer;
let clock: NodeJS.Timeout;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:', now: Date.now() });
  clock = setInterval(() => {
    server.clock.now = Date.now();
  }, 10);
});
afterAll(async () => {
  clearInterval(clock);
  await server.stop();
});

/** Runs a program with `store` in a separate process. Resolves to its output. */
async function run(key: string, code: string): Promise<string> {
  const index = new URL('../src/index.ts', import.meta.url).href;
  const script = `
    import { createAnimalStore, unwrap } from ${JSON.stringify(index)};
    const codes = [];
    const onEvent = ({ type, code }) => { if (type === 'gate' && code) codes.push(code); };
    const store = createAnimalStore({ apiKey: '${key}', baseUrl: '${server.url}/v1', onEvent });
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return output.trim();
}

test('eight reloads, 3 s apart, of a page with six queries on a used-up free key start no ban', async () => {
  const key = await server.createKey('free');
  await run(key, 'await Promise.all(Array.from({ length: 60 }, () => store.GET("/pets")))');
  for (let reload = 0; reload < 8; reload += 1) {
    const page = run(
      key,
      `setTimeout(() => { console.log(codes.join()); process.exit(); }, 2_000);
       await Promise.all(Array.from({ length: 6 }, () => store.GET("/pets")));`,
    );
    await setTimeout(3_000);
    expect(['', 'rate_limited']).toContain(await page);
  }
  expect(server.log()).not.toContain('key_banned');
}, 90_000);

test('five processes, started 4 s apart, with 70 calls each on one free key all succeed without a ban', async () => {
  const key = await server.createKey('free');
  const code = `
    const all = await Promise.all(Array.from({ length: 70 }, () => unwrap(store.GET("/pets"))));
    console.log(all.length, codes.includes("key_banned"));`;
  const processes = await Promise.all(
    Array.from({ length: 5 }, async (_, number) => {
      await setTimeout(number * 4_000);
      return run(key, code);
    }),
  );
  expect(processes).toEqual(Array.from({ length: 5 }, () => '70 false'));
}, 600_000);
