import { StorageUnavailableError } from '../storage.ts';

type Waiting = { enter: () => void; refuse: (error: unknown) => void };

/** The calls of one kind of work that run, and those that wait. */
type Kind = { running: number; waiting: Waiting[] };

export type SemaphoreLimits = {
  /** The most calls that run at once. */
  count: number;
  /** How long a call may wait, in milliseconds. */
  timeoutMs: number;
  /** The most calls of one kind that wait; further ones are refused at once. */
  maxWaiting?: number;
};

/** A pool of 8 serves 3,000 calls a second and more, so the last of 1,000 waits about as long as `timeouts.freeConnection`. */
const MAX_WAITING = 1_000;

/** The part of the places that is kept for kinds of work that have none. */
const RESERVED_SHARE = 4;

/**
 * Limits the number of concurrent calls; further calls wait. The last quarter of the places is for kinds of work of which no
 * call runs, so that a kind whose calls are stuck behind one lock cannot take all places. A free place goes to the kind with
 * the fewest running calls, and within a kind in order.
 *
 * The queue of pg's own pool has one timeout for waiting and connecting: if every connection waits for one locked row, the
 * queued calls would report the engine as unavailable. p-limit and Bottleneck have no such kinds within one limit.
 */
export class Semaphore {
  readonly #timeoutMs: number;
  /** The most calls of one kind that wait. */
  readonly maxWaiting: number;
  readonly #kinds = new Map<string, Kind>();
  readonly #calls = new Set<Promise<unknown>>();
  #count: number;
  #running = 0;
  #closed = false;

  constructor({ count, timeoutMs, maxWaiting = MAX_WAITING }: SemaphoreLimits) {
    this.#count = count;
    this.#timeoutMs = timeoutMs;
    this.maxWaiting = maxWaiting;
  }

  /** Changes how many calls may run at once. Running calls continue. */
  setCount(count: number): void {
    this.#count = count;
    this.#admit();
  }

  async use<T>(kind: string, call: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StorageUnavailableError(new Error('The storage is closed.'));
    const running = this.#run(this.#kindOf(kind), call);
    this.#calls.add(running);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
    }
  }

  get running(): number {
    return this.#running;
  }

  /** The number of calls that wait, by kind. */
  waiting(): Record<string, number> {
    return Object.fromEntries([...this.#kinds].map(([name, { waiting }]) => [name, waiting.length]));
  }

  /** Rejects all calls that wait. */
  refuseWaiting(error: unknown): void {
    for (const { waiting } of this.#kinds.values()) for (const { refuse } of waiting.splice(0)) refuse(error);
  }

  /** Takes no more calls, and resolves when the others have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#calls);
  }

  #kindOf(name: string): Kind {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const kind = { running: 0, waiting: [] };
    this.#kinds.set(name, kind);
    return kind;
  }

  async #run<T>(kind: Kind, call: () => Promise<T>): Promise<T> {
    if (this.#canEnter(kind)) this.#enter(kind);
    else await this.#wait(kind);
    try {
      return await call();
    } finally {
      kind.running -= 1;
      this.#running -= 1;
      this.#admit();
    }
  }

  #canEnter({ running }: Kind): boolean {
    const free = this.#count - this.#running;
    const reserved = this.#count === 1 ? 0 : Math.max(1, Math.floor(this.#count / RESERVED_SHARE));
    return running === 0 ? free > 0 : free > reserved;
  }

  #enter(kind: Kind): void {
    kind.running += 1;
    this.#running += 1;
  }

  /** Lets waiting calls run as long as there are places for them. */
  #admit(): void {
    for (;;) {
      let next: Kind | undefined;
      for (const kind of this.#kinds.values()) {
        if (kind.waiting.length > 0 && kind.running < (next?.running ?? Number.POSITIVE_INFINITY)) next = kind;
      }
      if (next === undefined || !this.#canEnter(next)) return;
      this.#enter(next);
      next.waiting.shift()?.enter();
    }
  }

  #wait(kind: Kind): Promise<void> {
    if (kind.waiting.length >= this.maxWaiting) {
      throw new StorageUnavailableError(new Error('Too many calls wait for a connection to the database.'));
    }
    const { promise, resolve: enter, reject: refuse } = Promise.withResolvers<void>();
    const waiting = { enter, refuse };
    kind.waiting.push(waiting);
    const timer = setTimeout(() => {
      kind.waiting = kind.waiting.filter((other) => other !== waiting);
      refuse(new StorageUnavailableError(new Error('No connection to the database became free in time.')));
    }, this.#timeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }
}
