import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';

/** Milliseconds until a worker that ended is replaced, doubled each time it ends soon again. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 10_000;
/** A worker that lived so long did not end soon. */
const SOON = 10_000;

/** No worker could start. It said why itself. */
export class WorkerStartError extends Error {
  override name = 'WorkerStartError';
}

export type Supervised = {
  /** The port that all workers share. */
  port: number;
  /** Lets all of them drain; resolves when the last one has ended. */
  stop: () => Promise<void>;
};

export type SuperviseParts = {
  count: number;
  log: Logger;
  environment: Record<string, string>;
  /** Called with each worker, before it asks for anything. */
  onStart: (worker: Worker) => void;
};

/**
 * Starts the workers and replaces those that end. The first one starts alone: what is wrong for it is wrong for all, and is
 * said once.
 *
 * @throws WorkerStartError
 */
export async function supervise({ count, log, environment, onStart }: SuperviseParts): Promise<Supervised> {
  let isStopping = false;
  // Doubled for the first one that ends soon, too.
  let wait = FIRST_WAIT / 2;

  function fork(): Worker {
    const worker = cluster.fork(environment);
    onStart(worker);
    return worker;
  }

  function keep(worker: Worker): void {
    const startedAt = performance.now();
    worker.once('exit', (code, signal) => {
      if (isStopping) return;
      wait = performance.now() - startedAt > SOON ? FIRST_WAIT : Math.min(wait * 2, LONGEST_WAIT);
      const { pid } = worker.process;
      log.warn({ worker: pid, code, signal, wait }, 'a worker ended; another one takes its place');
      setTimeout(() => {
        if (!isStopping) keep(fork());
      }, wait);
    });
  }

  async function stop(): Promise<void> {
    isStopping = true;
    const running = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(running.map((worker) => ended(worker, () => worker.process.kill('SIGTERM'))));
  }

  const first = fork();
  const port = await listening(first);
  keep(first);
  const others = Array.from({ length: count - 1 }, fork);
  for (const worker of others) keep(worker);
  await Promise.all(others.map((worker) => listening(worker).catch(() => {})));
  return { port, stop };
}

function listening(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port));
    worker.once('exit', () => reject(new WorkerStartError('The server could not start; the reason is above.')));
  });
}

function ended(worker: Worker, end: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve();
    worker.once('exit', () => resolve());
    end();
  });
}
