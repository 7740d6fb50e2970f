import { execFileSync, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { eventually } from '../../../testing/src/child.ts';
import { openSocket, parseResponse, sendBytes } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer, temporaryDatabase } from '../harness.ts';
import { startProcess } from '../process.ts';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

(canLimit ? test : test.skip)('a server without a file descriptor logs it with a way out, and recovers', async () => {
  const limited = ['prlimit', '--nofile=100'];
  const server = await startProcess({ DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' }, limited);
  const sockets = Array.from({ length: 150 }, () => openSocket(server.url).on('error', () => {}));
  try {
    await eventually(() => server.output().includes('no file descriptor is left'), server.output);
    expect(server.output()).toContain('raise the limit (ulimit -n), or lower MAX_CONNECTIONS');
    await setTimeout(2_100);
    expect(server.output().split('no file descriptor is left')).toHaveLength(2);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await setTimeout(200);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await server.end('SIGTERM')).code).toBe(0);
});

describe('a log that cannot be written', () => {
  let database: Awaited<ReturnType<typeof temporaryDatabase>>;
  let pipe: string;
  beforeAll(async () => {
    database = await temporaryDatabase();
    pipe = join(dirname(database.path), 'pipe');
    execFileSync('mkfifo', [pipe]);
  });
  afterAll(() => database.remove());

  test.each<[what: string, redirection: () => string]>([
    ['because its disk is full', () => '> /dev/full'],
    // Opening the pipe for reading and writing does not wait for another process.
    ['because no process reads its pipe', () => `1<> '${pipe}'`],
  ])('%s, prevents neither responses nor a clean stop', async (_, redirection) => {
    const environment = { DATABASE_URL: database.url, NODE_ENV: 'production' };
    const server = await startProcess(environment, ['bash', '-c', `exec "$@" ${redirection()}`, 'bash']);
    try {
      // 500 lines do not fit into a pipe.
      for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 50 }, () => ask(server.url)));
      expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    } finally {
      server.child.kill('SIGKILL');
    }
  });
});

async function ask(url: string): Promise<void> {
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
}

/** A limiter that cannot count, such as one whose storage does not answer. */
const unavailable = () => Promise.reject(new StorageUnavailableError(new Error('no answer')));
const limiter = { countKey: unavailable, countAddress: unavailable, flush: async () => {} };

describe('while requests cannot be counted', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ limiter: { limiter, counted: undefined, close: () => {} } });
  });
  afterAll(() => server.stop());

  test.each([true, false])('a request gets the documented 503 (with a key: %s)', async (hasKey) => {
    const headers = hasKey ? { authorization: `Bearer ${server.key}` } : undefined;
    const response = await fetch(`${server.url}/v1/pets`, { ...(headers === undefined ? {} : { headers }) });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(response.headers.has('x-request-id')).toBe(true);
    expect(await response.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
  });

  test.each(['garbage\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])(
    'the server refuses a request that Node rejects, and the process continues: %j',
    async (bytes) => {
      const { status, text } = parseResponse(await sendBytes(server.url, bytes));
      expect([status, JSON.parse(text).status]).toEqual([status, status]);
      expect([400, 405]).toContain(status);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    },
  );
});
