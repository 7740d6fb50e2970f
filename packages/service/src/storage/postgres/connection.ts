import { Duplex } from 'node:stream';
import pg from 'pg';
import { TimeoutError, timeouts } from '../../common/time.ts';
import { type Row, unexpected } from '../rows.ts';
import { StorageUnavailableError } from '../storage.ts';
import type { Answer, Send } from '../store-definition.ts';
import { isAnswer, READ_ONLY, sqlState, translate } from './errors.ts';

/** A connection, as a call uses it. Statements are sent at once, and answered in their order. */
export type Connection = {
  send: Send;
  /** Sends an unprepared command such as BEGIN. Resolves to the command tag, which is ROLLBACK if a COMMIT failed. */
  command: (sql: string) => Promise<string>;
  /** The number of queries without an answer. */
  readonly inFlight: number;
};

export type ConnectionEvents = {
  onAnswer: (command: string) => void;
  /** `failure` is the error as the callers of the storage see it. */
  onFailure: (error: unknown, failure: unknown) => void;
};

/** What the driver calls back with. */
type Result = { command: string; rowCount: number | null; rows: Row[] };
type Query = { text: string; name?: string; values?: unknown[] };

/** A query without an answer yet. */
type Pending = { timeoutMs: number; sentAt: number; reject: (error: unknown) => void };

/**
 * A connection of the driver in its pipeline mode: a statement does not wait for the answer to the one before. What one turn of the event
 * loop sends is one write to the socket. A connection that does not answer in time is closed, and rejects all its queries.
 */
export class PipelinedConnection implements Connection {
  readonly #client: pg.PoolClient;
  readonly #events: ConnectionEvents;
  readonly #usesNames: boolean;
  readonly #stream: Duplex | undefined;
  readonly #pending: Pending[] = [];
  readonly #prepared = new Set<string>();
  /** Statements whose first execution has no answer yet. If it fails, the name does not exist. */
  readonly #preparing = new Set<string>();
  readonly #idleListeners: (() => void)[] = [];
  /** When the first query of `#pending` became the first, by `performance.now()`. */
  #headSince = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #isCorked = false;
  /** Whether the connection must not be used again. */
  isBroken = false;
  /** Whether the engine did not answer in time, so that its backend may still run. */
  isSilent = false;

  constructor(client: pg.PoolClient, events: ConnectionEvents, usesNames: boolean) {
    this.#client = client;
    this.#events = events;
    this.#usesNames = usesNames;
    this.#stream = streamOf(client);
  }

  get inFlight(): number {
    return this.#pending.length;
  }

  /** How long the next answer has been due, in milliseconds. */
  get silentFor(): number {
    return this.#pending.length === 0 ? 0 : performance.now() - this.#headSince;
  }

  readonly send: Send = ({ name, text }, values = [], timeoutMs = timeouts.answer) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const isNamed = this.#usesNames && !this.#preparing.has(name);
    const isFirst = isNamed && !this.#prepared.has(name);
    if (isFirst) this.#preparing.add(name);
    const query = isNamed ? { name, text, values: [...values] } : { text, values: [...values] };
    this.#query(query, timeoutMs, reject, ({ rows, rowCount }) => {
      if (isFirst) this.#prepared.add(name);
      resolve({ rows, count: rowCount ?? 0 });
    });
    if (isFirst) promise.catch(() => {}).finally(() => this.#preparing.delete(name));
    return promise;
  };

  readonly command = (sql: string): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#query({ text: sql }, timeouts.answer, reject, ({ command }) => resolve(command));
    return promise;
  };

  /** Resolves when all queries have their answers. */
  whenIdle(): Promise<void> {
    if (this.#pending.length === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#idleListeners.push(resolve));
  }

  #query(query: Query, timeoutMs: number, reject: Pending['reject'], onResult: (result: Result) => void): void {
    // Reject at once, because a ROLLBACK on a silent connection would wait for the timeout again.
    if (this.isBroken) {
      reject(new StorageUnavailableError(new Error('The connection failed before.')));
      return;
    }
    const pending = { timeoutMs, sentAt: performance.now(), reject };
    if (this.#pending.length === 0) this.#headSince = pending.sentAt;
    this.#pending.push(pending);
    this.#watch(timeoutMs);
    this.#cork();
    this.#client.query<unknown[]>({ ...query, rowMode: 'array' }, (error: unknown, result: Result) => {
      // The connection was given up, and the query rejected, before this answer.
      const place = this.#pending.indexOf(pending);
      if (place === -1) return;
      this.#pending.splice(place, 1);
      this.#headSince = performance.now();
      if (error) this.#fail(error, reject);
      else {
        this.#events.onAnswer(result.command);
        onResult(result);
      }
      if (this.#pending.length === 0) for (const resolve of this.#idleListeners.splice(0)) resolve();
    });
  }

  #fail(error: unknown, reject: Pending['reject']): void {
    this.isBroken ||= !isAnswer(error) || sqlState(error) === READ_ONLY;
    const failure = translate(error);
    this.#events.onFailure(error, failure);
    reject(failure);
  }

  /** Joins what is sent in this turn of the event loop, for all callers together. */
  #cork(): void {
    if (this.#isCorked || this.#stream === undefined) return;
    this.#isCorked = true;
    this.#stream.cork();
    setImmediate(() => {
      this.#isCorked = false;
      this.#stream?.uncork();
    });
  }

  /**
   * One timer for all queries: one for each would cost more than sending it. A query has its timeout from when it is the next to be
   * answered, and waits for a connection and others no longer than for a connection.
   */
  #watch(timeoutMs: number): void {
    const delay = Math.ceil(Math.min(timeoutMs, timeouts.answer));
    this.#watchdog ??= setTimeout(() => {
      this.#watchdog = undefined;
      const [head] = this.#pending;
      if (head === undefined) return;
      const longest = Math.max(head.timeoutMs, timeouts.freeConnection);
      const left = Math.min(head.timeoutMs - this.silentFor, head.sentAt + longest - performance.now());
      if (left > 0) return this.#watch(left);
      // Read pending input first: the answer may have arrived while this process was busy.
      setImmediate(() => {
        if (this.#pending[0] === head) this.#giveUp(new TimeoutError(`No answer within ${head.timeoutMs} ms.`));
        else this.#watch(head.timeoutMs);
      });
    }, delay).unref();
  }

  #giveUp(error: TimeoutError): void {
    this.isBroken = true;
    this.isSilent = true;
    for (const { reject } of this.#pending.splice(0)) this.#fail(error, reject);
    // Tells the driver that the end of the stream is no error.
    void this.#client.end().catch(() => {});
    this.#stream?.destroy();
    for (const resolve of this.#idleListeners.splice(0)) resolve();
  }
}

/** The socket of a connection, which the driver does not publish. Without it, each query is a write of its own. */
function streamOf(client: object): Duplex | undefined {
  if (!('connection' in client)) return undefined;
  const { connection } = client;
  if (typeof connection !== 'object' || connection === null || !('stream' in connection)) return undefined;
  return connection.stream instanceof Duplex ? connection.stream : undefined;
}

/** Reads int8 as a number, which must represent it exactly. Leaves all other types to the driver. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === pg.types.builtins.INT8 ? safeInteger : pg.types.getTypeParser(oid, format);
  },
};

function safeInteger(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : unexpected('an integer below 2^53');
}
