import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';

/** The server uses the system clock, so quotas and bans last as long as they do for users. */
let server: TestServer;
let clock: NodeJS.Timeout;
/** The folder for temporary files of the processes. */
const TMPDIR = mkdtempSync(join(tmpdir(), 'processes-'));
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:', now: Date.now() });
  clock = setInterval(() => {
    server.clock.now = Date.now();
  }, 10);
});
afterAll(async () => {
  clearInterval(clock);
  await server.stop();
  rmSync(TMPDIR, { recursive: true });
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
  // Tests share nothing.
  const env = { ...process.env, NODE_ENV: 'production', TMPDIR };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return output.trim();
}

/** Waits for the next minute if this one lasts for less than that many milliseconds. */
async function minuteLasting(milliseconds: number): Promise<void> {
  const rest = 60_000 - (Date.now() % 60_000);
  if (rest < milliseconds) await setTimeout(rest + 100);
}

/** Calls the API several times at once, and prints the codes of the errors, and how many requests were sent. */
const burst = `
  const all = await Promise.all(Array.from({ length: 6 }, () => store.GET("/pets", { maxRetryAfter: 0 })));
  const { size } = new Set(all.map(({ error }) => error?.code));
  console.log(size, all[0].error?.code, all.reduce((sum, { error }) => sum + (error?.attempts ?? 1), 0));`;

test('13 processes, one after the other, with six calls each on a used-up key cost the refusals of one, and no ban', async () => {
  await minuteLasting(45_000);
  const key = await server.createKey('free');
  await run(key, 'await Promise.all(Array.from({ length: 60 }, () => store.GET("/pets")))');
  const processes: string[] = [];
  for (let number = 0; number < 13; number += 1) processes.push(await run(key, burst));
  // Two more test whether the refusal lasts.
  const sent = (requests: number, count: number) => Array.from({ length: count }, () => `1 rate_limited ${requests}`);
  expect(processes.slice(1)).toEqual([...sent(1, 2), ...sent(0, 10)]);
  expect(processes[0]).toMatch(/^1 rate_limited [1-6]$/);
  expect(server.log()).not.toContain('key_banned');
}, 120_000);

test('a raised plan is noticed by the first request of the next process, and after three refusals by `resume()`', async () => {
  const limits = { perMinute: 1, perDay: 1 };
  const { secret, key } = await server.keys.create({ plan: 'enterprise', ...limits });
  await run(secret, 'await store.GET("/pets")');
  const setPlan = (limit: number) => server.keys.set(key.id, { perMinute: limit, perDay: limit });
  const others = readdirSync(TMPDIR).length;
  expect(await run(secret, burst)).toMatch(/^1 rate_limited [1-6]$/);
  expect(readdirSync(TMPDIR)).toHaveLength(others + 1);
  await setPlan(1_000);
  expect(await run(secret, `await store.GET("/pets"); ${burst}`)).toBe('1 undefined 6');
  expect(readdirSync(TMPDIR)).toHaveLength(others);
  await setPlan(1);
  for (let number = 0; number < 3; number += 1) await run(secret, burst);
  await setPlan(1_000);
  expect(await run(secret, burst)).toBe('1 rate_limited 0');
  expect(await run(secret, `store.resume(); ${burst}`)).toBe('1 undefined 6');
  expect(await run(secret, burst)).toBe('1 undefined 6');
}, 60_000);

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

test('five processes, started 4 s apart, with 25 calls each on one free key all succeed without a ban', async () => {
  const key = await server.createKey('free');
  const code = `
    const all = await Promise.all(Array.from({ length: 25 }, () => unwrap(store.GET("/pets"))));
    console.log(all.length, codes.includes("key_banned"));`;
  const processes = await Promise.all(
    Array.from({ length: 5 }, async (_, number) => {
      await setTimeout(number * 4_000);
      return run(key, code);
    }),
  );
  expect(processes).toEqual(Array.from({ length: 5 }, () => '25 false'));
}, 600_000);
