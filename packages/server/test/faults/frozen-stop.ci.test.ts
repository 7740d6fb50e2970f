import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { eventually, runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { startProxy } from '../../../testing/src/postgres/proxy.ts';
import { findRedis, startRedis } from '../../../testing/src/redis.ts';
import { nodeOptions } from '../../../tooling/test/node-options.ts';
import type { startProcess } from '../process.ts';
import { createStore, type Store } from './store.ts';

const environment = { DRAIN_SECONDS: '1', LOG_LEVEL: 'error' };

/** Milliseconds from the signal to the end of the process. A frozen part would keep it alive for minutes, or for ever. */
async function timeToEnd(server: Awaited<ReturnType<typeof startProcess>>) {
  const startedAt = performance.now();
  const ended = await server.end('SIGTERM');
  return { ended, milliseconds: performance.now() - startedAt };
}

/** The milliseconds that a stop may take: DRAIN_SECONDS + 2 seconds, and what this machine adds, which a start shows. */
function longestStop(startTime: number): number {
  return 3_000 + 4 * startTime;
}

/** Starts a server. Returns the milliseconds that its stop may take as well. */
async function startTimed(store: Store, further: Record<string, string> = {}) {
  const startedAt = performance.now();
  const server = await store.start({ environment: { ...environment, ...further } });
  return { server, longest: longestStop(performance.now() - startedAt) };
}

describeOnPostgres('SIGTERM while PostgreSQL is frozen', (postgres) => {
  test('ends the process in time, and has nothing left to save', async () => {
    await using store = await createStore(await postgres.freshUrl());
    const { server, longest } = await startTimed(store);
    expect((await server.list()).status).toBe(200);
    const backends = await postgres.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'animal-store'");
    const [main] = String((await postgres.query("SELECT pg_read_file('postmaster.pid')"))[0]?.[0]).split('\n');
    const processes = [main, ...backends.flat()].map(Number);
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    const { ended, milliseconds } = await timeToEnd(server);
    for (const pid of processes) process.kill(pid, 'SIGCONT');
    expect(milliseconds).toBeLessThan(longest);
    expect(ended).toEqual({ code: 0, signal: null });
  });
});

test('SIGTERM while a SQLite file is locked ends the process in time', async () => {
  await using store = await createStore();
  const { server, longest } = await startTimed(store);
  expect((await server.list()).status).toBe(200);
  using other = new DatabaseSync(store.path);
  other.exec('BEGIN IMMEDIATE');
  const { ended, milliseconds } = await timeToEnd(server);
  expect(milliseconds).toBeLessThan(longest);
  expect(ended).toEqual({ code: 1, signal: null });
  expect(server.output()).toContain('the stop could not save the usage');
});

const redisServer = findRedis('a stop while Redis is frozen');

(redisServer === undefined ? test.skip : test)(
  'SIGTERM while Redis is frozen ends the process in time, and loses nothing',
  async () => {
    await using redis = await startRedis(redisServer ?? '');
    await using store = await createStore();
    const { server, longest } = await startTimed(store, { REDIS_URL: redis.url });
    expect((await server.list()).status).toBe(200);
    redis.pause();
    expect((await server.add('Rex')).status).toBe(201);
    const { ended, milliseconds } = await timeToEnd(server);
    redis.goOn();
    expect(milliseconds).toBeLessThan(longest);
    expect(ended).toEqual({ code: 0, signal: null });
  },
);

describeOnPostgres('SIGTERM during a start that hangs', (postgres) => {
  test('ends the process in time', async () => {
    const proxy = await startProxy(postgres.port);
    proxy.set({ kind: 'silent' });
    const connections = proxy.count('tester');
    const beganAt = performance.now();
    const running = runNode(import.meta.dirname, [...nodeOptions, '../../src/main.ts'], {
      ...{ PORT: '0', DATABASE_URL: await postgres.freshUrl(proxy.port) },
      ...environment,
    });
    try {
      // Until it has loaded its modules, and handles signals.
      await eventually(() => connections() > 0, running.output, 3);
      const longest = longestStop(performance.now() - beganAt);
      const startedAt = performance.now();
      running.kill('SIGTERM');
      await running.ended;
      expect(performance.now() - startedAt).toBeLessThan(longest);
    } finally {
      running.kill('SIGKILL');
      await proxy.stop();
    }
  });
});
