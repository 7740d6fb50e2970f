import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../testing/src/child.ts';
import { callOperation } from './harness.ts';
import { runToItsEnd, type ServerProcess } from './process.ts';
import { createHost, type Host, processesIn } from './shared/concurrent-clients.ts';

const WORKERS = 3;
let host: Host;

beforeEach(async () => {
  host = await createHost();
});
afterEach(() => host[Symbol.asyncDispose]());

/** Starts a server with three workers, and waits for the last line of its banner. */
async function start(environment: Record<string, string> = {}): Promise<ServerProcess> {
  const started = await host.start({ WORKERS: String(WORKERS), ...environment });
  await eventually(() => started.output().includes('Bearer as_test_'), started.output);
  return started;
}

function keyOf({ output }: ServerProcess): string {
  return /Bearer (as_test_\w+)/.exec(output())?.[1] ?? '';
}

async function remaining(running: ServerProcess, key: string): Promise<number> {
  const { headers } = await callOperation(running.url, key, 'listPets', {});
  return Number(headers.get('x-ratelimit-remaining'));
}

/**
 * The process IDs of the workers, once each has answered. Uses a page, because pages do not count against the quota of a
 * key.
 */
async function workersOf(running: ServerProcess, without: readonly number[] = []): Promise<number[]> {
  const ask = () => fetch(`${running.url}/healthz`, { headers: { connection: 'close' } }).catch(() => undefined);
  const workers = () => processesIn(running.output()).filter((pid) => !without.includes(pid));
  await eventually(
    async () => {
      await Promise.all(Array.from({ length: 40 }, ask));
      return workers().length === WORKERS;
    },
    () => `Only ${workers().join()} answered:\n${running.output()}`,
  );
  return workers();
}

describe('a server with several workers', () => {
  test('prints one banner with one development key, which later starts print again', async () => {
    const first = await start();
    expect(await workersOf(first)).not.toContain(first.child.pid);
    expect(first.output().split('Animal Store ')).toHaveLength(2);
    const key = keyOf(first);
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(keyOf(await start())).toBe(key);
  });

  test('gives that key to the docs that are opened from the URL in the banner, whichever worker responds', async () => {
    const running = await start({ NODE_ENV: 'development' });
    const [, token = ''] = /\/docs\/#token=(\S+)/.exec(running.output()) ?? [];
    // Each request has its own connection, so that several workers respond.
    const ask = async () => {
      const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', connection: 'close' };
      const response = await fetch(`${running.url}/docs/development-key`, {
        headers: { ...headers, 'docs-token': token },
      });
      return response.json();
    };
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(answers).toEqual(answers.map(() => ({ key: keyOf(running) })));
  });

  test('replaces a worker that is killed, logs it, and keeps its counts', async () => {
    const running = await start();
    const workers = await workersOf(running);
    const key = await host.createKey(100);
    expect(await remaining(running, key)).toBe(99);
    const [victim = 0] = workers;
    process.kill(victim, 'SIGKILL');
    const [replacement = 0] = (await workersOf(running, [victim])).filter((pid) => !workers.includes(pid));
    expect(replacement).not.toBe(0);
    expect(running.output()).toContain(`"worker":${victim},"code":null,"signal":"SIGKILL"`);
    expect(await remaining(running, key)).toBe(98);
  });

  test('keeps its counts over a restart', async () => {
    const first = await start();
    const key = await host.createKey(100);
    expect(await remaining(first, key)).toBe(99);
    await first.end('SIGTERM');
    expect(await remaining(await start(), key)).toBe(98);
  });

  test('aggregates the metrics of all workers', async () => {
    const running = await start({ METRICS_PORT: '0' });
    const metrics = /metrics +(http:\S+)/.exec(running.output())?.[1] ?? '';
    const key = await host.createKey(20);
    await workersOf(running);
    for (let request = 0; request < 20; request += 1) await remaining(running, key);
    const text = await (await fetch(metrics)).text();
    expect(text).toContain('animal_store_request_duration_seconds_count{operation="listPets",status="200"} 20\n');
    expect(text).toContain('animal_store_storage_up 1\n');
  });

  test('responds with 503 and is not ready while its primary process hangs, and recovers when that continues', async () => {
    const running = await start();
    const { pid = 0 } = running.child;
    // Not `callOperation`, because a request that was not counted has no headers about its quota.
    const headers = { authorization: `Bearer ${keyOf(running)}` };
    const list = () => fetch(`${running.url}/v1/pets`, { headers });
    const ready = async () => (await fetch(`${running.url}/readyz`)).json();
    expect((await list()).status).toBe(200);
    process.kill(pid, 'SIGSTOP');
    try {
      const statuses = (await Promise.all(Array.from({ length: 30 }, list))).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([503]));
      expect(await ready()).toEqual({
        status: 'storage unavailable',
        reason: 'the primary process does not answer',
      });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await eventually(async () => (await list()).status === 200 && (await ready()).status === 'ready', running.output);
  });

  test('shows the metrics of the workers that answer while another one hangs', async () => {
    const running = await start({ METRICS_PORT: '0' });
    const metrics = /metrics +(http:\S+)/.exec(running.output())?.[1] ?? '';
    const [victim = 0] = await workersOf(running);
    process.kill(victim, 'SIGSTOP');
    try {
      const response = await fetch(metrics);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('animal_store_storage_up 1\n');
    } finally {
      process.kill(victim, 'SIGCONT');
    }
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'answers requests in progress after %s, and then all processes end',
    async (signal) => {
      const running = await start();
      const workers = await workersOf(running);
      const adding = Array.from({ length: 20 }, (_, index) =>
        callOperation(running.url, keyOf(running), 'createPet', { body: { name: `${index}`, categoryId: 1 } }),
      );
      const responses = Promise.all(adding);
      await adding[0];
      expect(await running.end(signal)).toEqual({ code: 0, signal: null });
      expect(new Set((await responses).map(({ status }) => status))).toEqual(new Set([201]));
      expect(workers.filter(isAlive)).toEqual([]);
    },
  );

  test('leaves no worker behind when its primary process is killed', async () => {
    const running = await start();
    const workers = await workersOf(running);
    await running.end('SIGKILL');
    await eventually(
      () => !workers.some(isAlive),
      () => 'A worker is still running.',
    );
  });

  test('prints one message and exits if its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const { code, output } = await runToItsEnd({ PORT: port, DATABASE_URL: host.databaseUrl, WORKERS: '3' });
    other.close();
    expect(code).toBe(1);
    expect(output.match(/is in use by another program/g)).toHaveLength(1);
    expect(output).not.toContain('    at ');
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
