import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../testing/src/child.ts';
import { callOperation, temporaryDatabase } from './harness.ts';
import { runToItsEnd, type ServerProcess, startProcess } from './process.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
let running: ServerProcess[] = [];
/** The process groups of npm, which a failed test leaves running. */
let groups: number[] = [];

beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(async () => {
  for (const server of running) await server.end('SIGKILL');
  running = [];
  for (const group of groups) endGroup(group);
  groups = [];
  await database.remove();
});

async function start(environment: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startProcess({ DATABASE_URL: database.url, ...environment });
  running.push(server);
  return server;
}

function keyFile(): string {
  return database.path.replace(/\.db$/, '.development-key');
}

function keyOf(server: ServerProcess): string {
  return /Bearer (as_test_\w+)/.exec(server.output())?.[1] ?? '';
}

describe('a first start', () => {
  test('creates one free-plan key, which later starts print again and only its owner can read', async () => {
    const first = await start();
    await first.end('SIGTERM');
    const second = await start();
    expect(keyOf(second)).toBe(keyOf(first));
    expect(readFileSync(keyFile(), 'utf8').trim()).toBe(keyOf(first));
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    const response = await callOperation(second.url, keyOf(second), 'listPets', {});
    expect(response.headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('in production creates no key, and says how to create one', async () => {
    const server = await start({ NODE_ENV: 'production', DATABASE_URL: 'sqlite:data/animal-store.db' });
    expect(server.output()).not.toContain('as_test_');
    expect(server.output()).toContain('keys -- create');
    expect(() => statSync(keyFile())).toThrow();
  });
});

describe('a start that fails', () => {
  test.each(['/dev/null/store.db', '/proc/none/store.db'])('says why %s cannot be opened', async (path) => {
    const { code, output } = await runToItsEnd({ PORT: '0', DATABASE_URL: `sqlite:${path}` });
    expect(code).toBe(1);
    expect(output).toContain('DATABASE_URL');
    expect(output).not.toContain('    at ');
  });
});

describe('a stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends with exit code 0', async (signal) => {
    const server = await start();
    expect(await server.end(signal)).toEqual({ code: 0, signal: null });
  });

  test('Ctrl-C on npm start, which reaches every process of the group, drains', async () => {
    const { pid, output, ended } = startWithNpm();
    const url = await waitForUrl(output);
    process.kill(-pid, 'SIGINT');
    await ended;
    await refused(url);
    expect(output()).not.toContain('Error');
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('%s of npm leaves none of its processes', async (signal) => {
    const { pid, output } = startWithNpm();
    await waitForUrl(output);
    process.kill(pid, signal);
    await eventually(() => !isRunning(pid), output);
  });
});

/** Runs npm start in its own process group, as a terminal does. */
function startWithNpm() {
  const child = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { ...process.env, PORT: '0', NODE_ENV: 'development', DATABASE_URL: database.url },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      text += data;
    });
  }
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  if (child.pid !== undefined) groups.push(child.pid);
  return { pid: child.pid ?? 0, output: () => text, ended };
}

/** Kills all processes of a group, if any of them still run. */
function endGroup(group: number): void {
  if (isRunning(group)) process.kill(-group, 'SIGKILL');
}

function isRunning(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

async function waitForUrl(output: () => string): Promise<string> {
  const find = () => /API +(http:\S+)\/v1/.exec(output())?.[1];
  await eventually(
    () => find() !== undefined,
    () => `npm start did not come up:\n${output()}`,
    10,
  );
  return find() ?? '';
}

/** Resolves when the server accepts no new connections. */
async function refused(url: string): Promise<void> {
  const isRefused = () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    );
  await eventually(isRefused, () => 'The server still takes connections.', 10);
}
