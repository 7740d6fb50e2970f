import { setImmediate } from 'node:timers/promises';
import { timeouts } from '../../common/time.ts';
import type { Answer, Send } from '../store-definition.ts';
import type { PipelinedConnection } from './connection.ts';
import { noneBecameFree, tooManyWait } from './semaphore.ts';

/** Statements on one connection without an answer, at most. With more, the last one would wait long for the first. */
const MAX_IN_FLIGHT = 16;

/** Milliseconds after which a connection goes back to the pool if other work waits for one. */
const TURN = 20;

/** Milliseconds without the next answer after which a connection gets no further statements: the first one is slow. */
const SLOW = 20;

/** Milliseconds between two checks of how long statements have waited. */
const EXPIRY_INTERVAL = 250;

type Query = Parameters<Send>;

type Waiting = {
  /** By `performance.now()`. */
  since: number;
  run: (connection: PipelinedConnection) => void;
  reject: (error: unknown) => void;
};

type Parts = {
  /** Runs a call with a connection of the pool, which it has until the call ends. */
  use: (call: (connection: PipelinedConnection) => Promise<void>) => Promise<void>;
  /** Whether other work waits for a connection. */
  isContended: () => boolean;
  /** Behind PgBouncer, which may give each statement another connection, one has its answer before the next is sent. */
  isPooled: boolean;
  maxWaiting: number;
};

/**
 * The connections on which single statements of one kind of work run together. A statement goes to an open connection that answers, and
 * waits only if there is none. A connection goes back to the pool when all statements have their answers.
 */
export class SharedConnections {
  readonly #parts: Parts;
  readonly #maxInFlight: number;
  /** With the time at which each was opened, by `performance.now()`. */
  readonly #open = new Map<PipelinedConnection, number>();
  readonly #waiting: Waiting[] = [];
  #isOpening = false;
  #timer: NodeJS.Timeout | undefined;
  #lastCall: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#maxInFlight = parts.isPooled ? 1 : MAX_IN_FLIGHT;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param onSent called when the statement no longer waits for a connection */
  send(query: Query, onSent: () => void): Promise<Answer> {
    return this.run((connection) => {
      onSent();
      return connection.send(...query);
    });
  }

  /** @param call sends all its statements at once, on one connection */
  run<T>(call: (connection: PipelinedConnection) => Promise<T>): Promise<T> {
    const connection = this.#waiting.length === 0 ? this.#free() : undefined;
    if (connection !== undefined) return this.#runOn(connection, call);
    if (this.#waiting.length >= this.#parts.maxWaiting) throw tooManyWait();
    return new Promise((resolve, reject) => {
      const run = (connection: PipelinedConnection) => resolve(this.#runOn(connection, call));
      this.#waiting.push({ run, since: performance.now(), reject });
      this.#expire();
      this.#openOne();
    });
  }

  /** Rejects the statements that have been waiting since `before`, by `performance.now()`. */
  refuseWaiting(error: unknown, before = Number.POSITIVE_INFINITY): void {
    while (this.#waiting[0] !== undefined && this.#waiting[0].since <= before) this.#waiting.shift()?.reject(error);
  }

  /** Rejects those that have waited too long, also while another connection is being opened. */
  #expire(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.refuseWaiting(noneBecameFree(), performance.now() - timeouts.freeConnection);
      if (this.#waiting.length > 0) this.#expire();
    }, EXPIRY_INTERVAL).unref();
  }

  /** Resolves when no statement waits for a connection. */
  async whenSent(): Promise<void> {
    while (this.#waiting.length > 0) await this.#lastCall;
  }

  /** The open connection with the fewest statements that takes one more. */
  #free(): PipelinedConnection | undefined {
    const now = performance.now();
    const since = this.#parts.isContended() ? now - TURN : Number.NEGATIVE_INFINITY;
    let best: PipelinedConnection | undefined;
    for (const [connection, openedAt] of this.#open) {
      const { isBroken, inFlight, silentFor } = connection;
      if (isBroken || inFlight >= this.#maxInFlight || silentFor > SLOW || openedAt < since) continue;
      if (best === undefined || inFlight < best.inFlight) best = connection;
    }
    return best;
  }

  #openOne(): void {
    if (this.#isOpening) return;
    this.#isOpening = true;
    const startedAt = performance.now();
    const call = this.#parts.use(async (connection) => {
      this.#isOpening = false;
      this.#open.set(connection, performance.now());
      this.#sendWaiting();
      do {
        await connection.whenIdle();
        // The callers of these answers may ask again at once.
        await setImmediate();
      } while (connection.inFlight > 0);
      this.#open.delete(connection);
    });
    this.#lastCall = call.catch((error: unknown) => {
      // Connecting failed. Later statements try again.
      this.#isOpening = false;
      this.refuseWaiting(error, startedAt);
      if (this.#waiting.length > 0) this.#openOne();
    });
  }

  /** Sends what waits to the connections that are open, and opens another one for the rest. */
  #sendWaiting(): void {
    for (;;) {
      const connection = this.#waiting.length === 0 ? undefined : this.#free();
      if (connection === undefined) break;
      this.#waiting.shift()?.run(connection);
    }
    if (this.#waiting.length > 0) this.#openOne();
  }

  #runOn<T>(connection: PipelinedConnection, call: (connection: PipelinedConnection) => Promise<T>): Promise<T> {
    const answer = call(connection);
    const settled = () => this.#sendWaiting();
    answer.then(settled, settled);
    return answer;
  }
}
