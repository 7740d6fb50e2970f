import { StorageUnavailableError } from '../storage.ts';

type Waiting = { since: number; enter: () => void; refuse: (error: unknown) => void };

/** The calls of one kind of work that run, and those that wait. */
type Kind = { running: number; waiting: Waiting[]; writes: boolean };

/** Keeps the place of a call after its end, until a promise settles. */
export type Hold = (until: Promise<unknown>) => void;

export type SemaphoreLimits = {
  /** The most calls that run at once. */
  count: number;
  /** How long a call may wait, in milliseconds. */
  timeoutMs: number;
  /** The most calls of one kind that wait; further ones are refused at once. */
  maxWaiting?: number;
  /** Whether a kind of work writes. All kinds that write leave places to those that read. */
  writes?: (kind: string) => boolean;
};

/** A pool of 8 serves 3,000 calls a second and more, so the last of 1,000 waits about as long as `timeouts.freeConnection`. */
export const MAX_WAITING = 1_000;

/** The engine may well answer, but this process has no connection for the call. */
export class BusyError extends StorageUnavailableError {}

/** The error of a call that finds too many others waiting. */
export function tooManyWait(): BusyError {
  return new BusyError(new Error('Too many calls wait for a connection to the database.'));
}

/** The error of a call that has waited too long. */
export function noneBecameFree(): BusyError {
  return new BusyError(new Error('No connection to the database became free in time.'));
}

/** The part of the places that is kept for kinds of work that have none. */
const RESERVED_SHARE = 4;

/**
 * Limits the number of concurrent calls; further calls wait. The last quarter of the places is for kinds of work of which no
 * call runs, so that a kind whose calls are stuck behind one lock cannot take all places. A free place goes to the kind with
 * the fewest running calls, or that has waited longest, and within a kind in order.
 *
 * The queue of pg's own pool has one timeout for waiting and connecting: if every connection waits for one locked row, the
 * queued calls would report the engine as unavailable. p-limit and Bottleneck have no such kinds within one limit.
 */
export class Semaphore {
  readonly limits: Required<SemaphoreLimits>;
  readonly #kinds = new Map<string, Kind>();
  readonly #calls = new Set<Promise<unknown>>();
  #count: number;
  #running = 0;
  #writing = 0;
  #closed = false;

  constructor(limits: SemaphoreLimits) {
    this.limits = { maxWaiting: MAX_WAITING, writes: () => false, ...limits };
    this.#count = limits.count;
  }

  /** The most calls that write at once. */
  get writingPlaces(): number {
    return this.#count - this.#reserved;
  }

  /** Changes how many calls may run at once. Running calls continue. */
  setCount(count: number): void {
    this.#count = count;
    this.#admit();
  }

  async use<T>(kind: string, call: (hold: Hold) => Promise<T>): Promise<T> {
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

  /** Whether any call waits. */
  get isContended(): boolean {
    for (const { waiting } of this.#kinds.values()) if (waiting.length > 0) return true;
    return false;
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
    const kind = { running: 0, waiting: [], writes: this.limits.writes(name) };
    this.#kinds.set(name, kind);
    return kind;
  }

  async #run<T>(kind: Kind, call: (hold: Hold) => Promise<T>): Promise<T> {
    if (this.#canEnter(kind)) this.#enter(kind);
    else await this.#wait(kind);
    let held: Promise<unknown> | undefined;
    try {
      return await call((until) => {
        held = until;
      });
    } finally {
      if (held === undefined) this.#leave(kind);
      else void held.finally(() => this.#leave(kind));
    }
  }

  /** The places for kinds of which no call runs, and for reading. */
  get #reserved(): number {
    return this.#count === 1 ? 0 : Math.max(1, Math.floor(this.#count / RESERVED_SHARE));
  }

  #canEnter({ running, writes }: Kind): boolean {
    if (writes && this.#writing >= this.writingPlaces) return false;
    const free = this.#count - this.#running;
    return running === 0 ? free > 0 : free > this.#reserved;
  }

  #enter(kind: Kind): void {
    kind.running += 1;
    this.#running += 1;
    if (kind.writes) this.#writing += 1;
  }

  #leave(kind: Kind): void {
    kind.running -= 1;
    this.#running -= 1;
    if (kind.writes) this.#writing -= 1;
    this.#admit();
  }

  /** Lets waiting calls run as long as there are places for them. */
  #admit(): void {
    for (;;) {
      const [next] = [...this.#kinds.values()]
        .filter((kind) => kind.waiting.length > 0 && this.#canEnter(kind))
        .sort((a, b) => a.running - b.running || sinceOf(a) - sinceOf(b));
      if (next === undefined) return;
      this.#enter(next);
      next.waiting.shift()?.enter();
    }
  }

  #wait(kind: Kind): Promise<void> {
    if (kind.waiting.length >= this.limits.maxWaiting) {
      throw tooManyWait();
    }
    const { promise, resolve: enter, reject: refuse } = Promise.withResolvers<void>();
    const waiting = { since: performance.now(), enter, refuse };
    kind.waiting.push(waiting);
    const timer = setTimeout(() => {
      kind.waiting = kind.waiting.filter((other) => other !== waiting);
      refuse(noneBecameFree());
    }, this.limits.timeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }
}

/** When the first call that waits began to wait. */
function sinceOf({ waiting: [first] }: Kind): number {
  return first?.since ?? 0;
}
