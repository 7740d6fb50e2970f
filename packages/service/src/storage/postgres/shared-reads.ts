import { StorageUnavailableError } from '../storage.ts';
import type { Answer, Send } from '../store-definition.ts';
import type { Connection } from './connection.ts';

/** Statements on one connection without an answer, at most. With more, the last one would wait long for the first. */
const MAX_IN_FLIGHT = 16;

type Query = Parameters<Send>;

type Waiting = {
  since: number;
  query: Query;
  resolve: (answer: Promise<Answer>) => void;
  reject: (error: unknown) => void;
};

type Parts = {
  /** Runs a call with a connection of the pool, which it has until the call ends. */
  use: (call: (connection: Connection) => Promise<void>) => Promise<void>;
  count: number;
  maxWaiting: number;
  waitMs: number;
};

/**
 * Lets statements that read share connections: each is sent at once, without waiting for the answers to those before
 * it. A statement gets a connection of its own as long as the pool has one, and otherwise the one with the fewest
 * unanswered statements.
 */
export class SharedReads {
  readonly #parts: Parts;
  /** The connections in use, with the function that gives each back. */
  readonly #open = new Map<Connection, () => void>();
  readonly #waiting: Waiting[] = [];
  #opening = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async send(query: Query): Promise<Answer> {
    const isFull = this.#open.size + this.#opening >= this.#parts.count;
    const connection = this.#waiting.length === 0 ? this.#free(isFull ? MAX_IN_FLIGHT : 1) : undefined;
    if (connection !== undefined) return this.#sendOn(connection, query);
    if (this.#waiting.length >= this.#parts.maxWaiting) {
      throw new StorageUnavailableError(new Error('Too many calls wait for a connection to the database.'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const waiting = { since: performance.now(), query, resolve, reject };
    this.#waiting.push(waiting);
    const refuse = () => {
      this.#refuse(
        new StorageUnavailableError(new Error('No connection to the database became free in time.')),
        waiting.since,
      );
    };
    const timer = setTimeout(refuse, this.#parts.waitMs);
    if (!isFull) this.#openOne();
    return promise.finally(() => clearTimeout(timer));
  }

  #refuse(error: unknown, since: number): void {
    while (this.#waiting[0] !== undefined && this.#waiting[0].since <= since) this.#waiting.shift()?.reject(error);
  }

  /** The connection with the fewest unanswered statements, if they are fewer than `limit`. */
  #free(limit: number): Connection | undefined {
    let best: Connection | undefined;
    for (const connection of this.#open.keys()) {
      if (connection.isBroken || connection.isLate || connection.inFlight >= limit) continue;
      if (best === undefined || connection.inFlight < best.inFlight) best = connection;
    }
    return best;
  }

  #openOne(): void {
    this.#opening += 1;
    const startedAt = performance.now();
    let isOpen = false;
    const call = this.#parts.use(async (connection) => {
      isOpen = true;
      this.#opening -= 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#open.set(connection, resolve);
      this.#sendWaiting();
      this.#closeIfIdle(connection);
      await promise;
    });
    call.catch((error: unknown) => {
      if (isOpen) return;
      this.#opening -= 1;
      this.#refuse(error, startedAt);
      this.#sendWaiting();
    });
  }

  /** Sends what waits to the connections that are open, and opens another one for the rest. */
  #sendWaiting(): void {
    for (;;) {
      const connection = this.#waiting.length === 0 ? undefined : this.#free(MAX_IN_FLIGHT);
      if (connection === undefined) break;
      const next = this.#waiting.shift();
      if (next !== undefined) next.resolve(this.#sendOn(connection, next.query));
    }
    if (this.#waiting.length > 0 && this.#open.size + this.#opening < this.#parts.count) this.#openOne();
  }

  #sendOn(connection: Connection, query: Query): Promise<Answer> {
    const answer = connection.send(...query);
    const settled = () => {
      this.#sendWaiting();
      this.#closeIfIdle(connection);
    };
    answer.then(settled, settled);
    return answer;
  }

  /** Gives a connection back that has nothing to do, unless the callers of the last answers ask again at once. */
  #closeIfIdle(connection: Connection): void {
    if (connection.inFlight > 0 && !connection.isSilent) return;
    setImmediate(() => {
      if (connection.inFlight > 0 && !connection.isSilent) return;
      this.#open.get(connection)?.();
      this.#open.delete(connection);
    });
  }
}
