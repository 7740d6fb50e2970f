import { StorageUnavailableError } from '../storage.ts';

type Waiting = { enter: () => void; refuse: (error: unknown) => void };

/**
 * Limits the number of concurrent calls; further calls wait in order. The queue of pg's own pool has one timeout for waiting
 * and connecting: if every connection waits for one locked row, the queued calls would report the engine as unavailable.
 * p-limit has no timeout for waiting, and rejects the queued calls with an error of its own.
 */
export class Semaphore {
  readonly #timeoutMs: number;
  #free: number;
  #waiting: Waiting[] = [];
  readonly #calls = new Set<Promise<unknown>>();
  #closed = false;

  /** @param timeoutMs how long a call may wait */
  constructor(count: number, timeoutMs: number) {
    this.#free = count;
    this.#timeoutMs = timeoutMs;
  }

  async use<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StorageUnavailableError(new Error('The storage is closed.'));
    const running = this.#run(call);
    this.#calls.add(running);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
    }
  }

  /** Rejects all calls that wait. */
  refuseWaiting(error: unknown): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }

  /** Takes no more calls, and resolves when the others have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#calls);
  }

  async #run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait();
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.enter();
    }
  }

  #wait(): Promise<void> {
    const { promise, resolve: enter, reject: refuse } = Promise.withResolvers<void>();
    const waiting = { enter, refuse };
    this.#waiting.push(waiting);
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      refuse(new StorageUnavailableError(new Error('No connection to the database became free in time.')));
    }, this.#timeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }
}
