import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryDatabase } from '../harness.ts';
import { startProcess } from '../process.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
let pipe: string;
beforeAll(async () => {
  database = await temporaryDatabase();
  pipe = join(dirname(database.path), 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterAll(() => database.remove());

describe('a log that cannot be written', () => {
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
