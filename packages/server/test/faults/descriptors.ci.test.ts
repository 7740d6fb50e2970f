import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openSocket } from '../../../testing/src/service/wire.ts';
import { startProcess } from '../process.ts';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

(canLimit ? test : test.skip)('a server without a file descriptor logs it with a way out, and recovers', async () => {
  const limited = ['prlimit', '--nofile=100'];
  const server = await startProcess({ DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' }, limited);
  const sockets = Array.from({ length: 150 }, () => openSocket(server.url).on('error', () => {}));
  try {
    while (!server.output().includes('no file descriptor is left')) await setTimeout(50);
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
