import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { messageType } from '../rate-limit/worker-limiter.ts';

/** How long to wait before a worker is replaced. All in milliseconds. */
const defaultTiming = {
  /** The first wait; it doubles each time that a worker ends early. */
  first: 100,
  longest: 10_000,
  /** A worker that ran for a shorter time ended early. */
  early: 10_000,
};

export type RestartTiming = typeof defaultTiming;

/** No worker could start. The worker has printed the reason. */
export class WorkerStartError extends Error {
  override name = 'WorkerStartError';
}

export type Supervised = {
  /** The port that all workers share. */
  port: number;
  /** Stops the workers, which drain first. Resolves when the last one has ended, to whether all of them exited with 0. */
  stop: () => Promise<boolean>;
};

export type SuperviseParts = {
  count: number;
  log: Logger;
  environment: Record<string, string>;
  /** Called with each worker before it sends a message. */
  onStart: (worker: Worker) => void;
  timing?: RestartTiming;
};

/**
 * Starts the workers and replaces those that end. The first worker starts alone, so that an error that affects all of them
 * is printed once.
 *
 * @throws WorkerStartError
 */
export async function supervise(parts: SuperviseParts): Promise<Supervised> {
  const { count, log, environment, onStart, timing = defaultTiming } = parts;
  const listeners = new Set<Worker>();
  let isStopping = false;
  // Halved, because it doubles even for the first worker that ends early.
  let wait = timing.first / 2;

  function fork(): Worker {
    const worker = cluster.fork(environment);
    // Sending to a worker that is ending fails, and an unhandled 'error' event would end this process.
    worker.on('error', (error) => log.warn({ err: error, worker: worker.process.pid }, 'a worker is out of reach'));
    listeners.add(worker);
    worker.on('message', (message) => {
      if (messageType(message) === 'stopped-listening') noteStopped(worker);
    });
    worker.once('exit', () => noteStopped(worker));
    onStart(worker);
    return worker;
  }

  /** Notifies the workers once none of them listens, because only then may they ask clients to close connections. */
  function noteStopped(worker: Worker): void {
    listeners.delete(worker);
    if (listeners.size > 0) return;
    for (const other of runningWorkers()) if (other.isConnected()) other.send({ type: 'none-listens' });
  }

  function replaceWhenEnded(worker: Worker): void {
    const startedAt = performance.now();
    worker.once('exit', (code, signal) => {
      if (isStopping) return;
      wait = performance.now() - startedAt > timing.early ? timing.first : Math.min(wait * 2, timing.longest);
      const { pid } = worker.process;
      log.warn({ worker: pid, code, signal, wait }, 'a worker ended; another one takes its place');
      setTimeout(() => {
        if (!isStopping) replaceWhenEnded(fork());
      }, wait);
    });
  }

  async function stop(): Promise<boolean> {
    isStopping = true;
    const stopping = runningWorkers().map((worker) => ended(worker, () => worker.process.kill('SIGTERM')));
    return (await Promise.all(stopping)).every((code) => code === 0);
  }

  const first = fork();
  const port = await listening(first);
  replaceWhenEnded(first);
  const others = Array.from({ length: count - 1 }, fork);
  for (const worker of others) replaceWhenEnded(worker);
  await Promise.all(others.map((worker) => listening(worker).catch(() => {})));
  return { port, stop };
}

export function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

function listening(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port));
    worker.once('exit', () => reject(new WorkerStartError('The server could not start; the reason is above.')));
  });
}

/** Resolves to the exit code of a worker; null after a signal. */
function ended(worker: Worker, end: () => void): Promise<number | null> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve(worker.process.exitCode);
    worker.once('exit', (code: number | null) => resolve(code));
    end();
  });
}
