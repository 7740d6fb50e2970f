import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../root.ts';

/** Requests under way have this long to end before a restart, unless DRAIN_SECONDS says otherwise. */
const DRAIN_SECONDS = '2';
/** A server that hangs in an endless loop drains never; it is killed this many milliseconds after its deadline. */
const MERCY = 3_000;

export type DevServer = {
  /** Starts the server, in the place of the one that runs; resolves when it listens or has ended. */
  restart: () => Promise<'listening' | 'ended' | 'superseded'>;
  stop: () => Promise<void>;
};

/**
 * Runs the server in a process of its own, one at a time. Only the newest restart counts: one that came before it and
 * is not done is superseded.
 *
 * @param onEnd when it ends by itself, with how
 */
export function superviseServer(onEnd: (how: string) => void): DevServer {
  const drainSeconds = process.env['DRAIN_SECONDS'] ?? DRAIN_SECONDS;
  let child: ChildProcess | undefined;
  let gone = Promise.resolve();
  let newest = 0;

  async function restart(): Promise<'listening' | 'ended' | 'superseded'> {
    newest += 1;
    const turn = newest;
    const isFirst = turn === 1;
    await end();
    if (turn !== newest) return 'superseded';
    return begin(isFirst, () => turn !== newest);
  }

  async function begin(isFirst: boolean, isSuperseded: () => boolean) {
    const started = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts'), ...(isFirst ? [] : ['--again'])], {
      cwd: root,
      env: { ...process.env, DRAIN_SECONDS: drainSeconds },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Ctrl-C reaches a whole group of processes, and a second signal would keep the server from draining.
      detached: process.platform !== 'win32',
    });
    child = started;
    const ended = new Promise<'ended'>((resolve) => {
      started.once('exit', (code, signal) => {
        const endedByItself = child === started;
        if (endedByItself) child = undefined;
        if (endedByItself && !isSuperseded()) onEnd(signal ?? `code ${code}`);
        resolve('ended');
      });
    });
    const outcome = await Promise.race([ended, once(started, 'message').then(() => 'listening' as const)]);
    return outcome === 'ended' && isSuperseded() ? 'superseded' : outcome;
  }

  /** Drains the server that runs, and waits until its process is gone. */
  function end(): Promise<void> {
    if (child !== undefined) gone = terminate(child, Number(drainSeconds) * 1_000 + MERCY);
    child = undefined;
    return gone;
  }

  async function stop(): Promise<void> {
    newest += 1;
    await end();
  }

  return { restart, stop };
}

async function terminate(running: ChildProcess, patience: number): Promise<void> {
  const exit = once(running, 'exit');
  running.kill('SIGTERM');
  const killing = setTimeout(() => running.kill('SIGKILL'), patience);
  await exit;
  clearTimeout(killing);
}
