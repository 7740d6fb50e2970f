import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { describeOnPostgres } from '../postgres/in-tests.ts';
import type { startProcess } from '../process.ts';
import { createStore } from './store.ts';

const environment = { DRAIN_SECONDS: '1', LOG_LEVEL: 'error' };

/** Milliseconds from the signal to the end of the process. A frozen part would keep it alive for minutes, or for ever. */
async function timeToEnd(server: Awaited<ReturnType<typeof startProcess>>) {
  const startedAt = performance.now();
  const ended = await server.end('SIGTERM');
  return { ended, milliseconds: performance.now() - startedAt };
}

/** DRAIN_SECONDS + 2 seconds, and what a busy machine adds. */
const LONGEST = 3_000 + 2_000;

describeOnPostgres('SIGTERM while PostgreSQL is frozen', (postgres) => {
  test.each([1, 2])(
    'ends the process in time with WORKERS=%i, and logs what it could not do',
    async (workers) => {
      await using store = await createStore(await postgres.freshUrl());
      const server = await store.start({ environment: { ...environment, WORKERS: String(workers) } });
      expect((await server.list()).status).toBe(200);
      // Opens the connection of the readiness probe.
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      const backends = await postgres.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'animal-store'");
      for (const [pid] of backends) process.kill(Number(pid), 'SIGSTOP');
      const { ended, milliseconds } = await timeToEnd(server);
      for (const [pid] of backends) process.kill(Number(pid), 'SIGCONT');
      expect(milliseconds).toBeLessThan(LONGEST);
      expect(ended).toEqual({ code: 1, signal: null });
      expect(server.output()).toContain('the stop could not');
    },
    60_000,
  );
});

test('SIGTERM while a SQLite file is locked ends the process in time', async () => {
  await using store = await createStore();
  const server = await store.start({ environment });
  expect((await server.list()).status).toBe(200);
  using other = new DatabaseSync(store.path);
  other.exec('BEGIN IMMEDIATE');
  const { ended, milliseconds } = await timeToEnd(server);
  expect(milliseconds).toBeLessThan(LONGEST);
  expect(ended).toEqual({ code: 1, signal: null });
  expect(server.output()).toContain('the stop could not save usage and activity');
}, 60_000);
