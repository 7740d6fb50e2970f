import { StorageUnavailableError } from '../../storage.ts';

/** How long a call waits for a lane, or for a connection, while the engine answers others, in milliseconds. */
export const PATIENCE = 10_000;

type Waiting = { enter: () => void; refuse: (error: unknown) => void };

/**
 * Lets so many calls through at a time, and the others wait in the order in which they came. Unlike the queue of a
 * connection pool it can refuse all that wait as soon as the engine is known to be away: waiting for the time-out of
 * one connection after the other would take each of them longer than the one before.
 */
export class Semaphore {
  readonly #timeoutMs: number;
  #free: number;
  #waiting: Waiting[] = [];
  #inside = 0;
  #closed = false;
  #emptied: (() => void) | undefined;

  /** @param timeoutMs how long a call may wait, in milliseconds */
  constructor(count: number, timeoutMs: number = PATIENCE) {
    this.#free = count;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs `call` as soon as a lane is free. */
  async use<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StorageUnavailableError(new Error('The storage is closed.'));
    this.#inside += 1;
    try {
      await this.#enter();
      try {
        return await call();
      } finally {
        this.#leave();
      }
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) this.#emptied?.();
    }
  }

  /** Refuses all that wait. */
  refuseWaiting(error: unknown): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }

  /** Takes no more calls, and resolves when those that came are done. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#inside === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }

  #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(new StorageUnavailableError(new Error('No connection to the database became free in time.')));
      }, this.#timeoutMs);
      this.#waiting.push(waiting);
    });
  }

  /** The lane goes to whoever waits longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next.enter();
  }
}
