import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from './child.ts';
import { leaveOut } from './left-out.ts';
import { freePort } from './listen.ts';

/** A Redis or Valkey for one test, on a free port and without persistence. */
export type TestRedis = {
  port: number;
  url: string;
  /** Kills it. Its data is lost. */
  kill: () => Promise<void>;
  /** Starts it again on the same port, after `kill`. */
  start: () => Promise<void>;
  /** Stops it from answering; its connections stay open. */
  pause: () => void;
  goOn: () => void;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/**
 * The path of the server on this machine, Valkey if both are installed. Undefined without one; its tests are then
 * reported as left out.
 */
export function findRedis(what: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places = ['valkey-server', 'redis-server'].flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) leaveOut(what, 'install Redis or Valkey (apt-get install redis-server)');
  return found;
}

/** Runs the server until the test ends. */
export async function startRedis(executable: string): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
    const parameters = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    child = spawn(executable, parameters, { stdio: 'ignore' });
    await eventually(
      () => answers(port),
      () => `${executable} does not listen on port ${port}.`,
    );
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async function remove(): Promise<void> {
    await kill();
    await rm(folder, { recursive: true, force: true });
  }

  await start().catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    goOn: () => void child?.kill('SIGCONT'),
    [Symbol.asyncDispose]: remove,
  };
}

/** Whether the server on that port speaks the protocol. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (bytes) => {
      resolve(bytes.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
