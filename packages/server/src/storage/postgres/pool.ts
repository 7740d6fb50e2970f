import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { TimeoutError, withTimeout } from '../../common/time.ts';
import { unexpected } from '../rows.ts';
import { StorageUnavailableError } from '../storage.ts';
import type { Send } from '../store-definition.ts';
import { Semaphore } from './semaphore.ts';
import { poolConfig, timeouts } from './settings.ts';

/** A connection, as a call uses it. */
export type Connection = {
  send: Send;
  /** Sends an unprepared command such as BEGIN. Resolves to the command tag, which is ROLLBACK if a COMMIT failed. */
  command: (sql: string) => Promise<string>;
};

/** The connections of a process to one database. */
export type ConnectionPool = {
  /**
   * Runs `call` with a connection of its own, and translates the errors of the engine. A connection that failed is not used
   * again.
   */
  use: <T>(call: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Calls back each time the engine turns out to be unavailable. */
  onAway: (listener: (error: unknown) => void) => void;
  /** Waits for running calls, then disconnects. */
  close: () => Promise<void>;
};

/** Connects on the first call, and reconnects if necessary: the pool itself never fails. */
export function createPool(databaseUrl: string): ConnectionPool {
  const config = poolConfig(databaseUrl);
  const pool = new pg.Pool({ ...config, types });
  const semaphore = new Semaphore(config.max, timeouts.freeConnection);
  const listeners: ((error: unknown) => void)[] = [(error) => semaphore.refuseWaiting(error)];
  const reportAway = (error: unknown) => {
    for (const listener of listeners) listener(error);
  };
  // An idle connection may fail, and an unhandled 'error' event would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));

  let answers = 0;
  const events: QueueEvents = {
    onAnswer: () => {
      answers += 1;
    },
    onSilence: reportAway,
  };

  async function connect(until = performance.now() + timeouts.freeConnection): Promise<pg.PoolClient> {
    const before = answers;
    try {
      return await pool.connect();
    } catch (error) {
      // If other calls got answers in the meantime, the engine is only slow to accept a connection.
      const isBusy = answers > before && sqlState(error) === undefined;
      if (isBusy && performance.now() < until) return connect(until);
      const failure = translate(error);
      reportAway(failure);
      throw failure;
    }
  }

  async function useClient<T>(call: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await connect();
    const queue = new QueryQueue(client, events);
    try {
      return await call(queue);
    } finally {
      // Queries that the call did not await must not run together with the next call.
      await queue.whenIdle();
      client.release(queue.isBroken);
    }
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await semaphore.close();
    await pool.end();
  }

  return {
    use: (call) => semaphore.use(() => useClient(call)),
    onAway: (listener) => void listeners.push(listener),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

type QueueEvents = {
  onAnswer: () => void;
  /** No answer arrived in time, so calls that wait for a connection would also wait in vain. */
  onSilence: (error: unknown) => void;
};

/**
 * Runs the queries of one connection one after the other, until the connection fails. The driver's own queue is deprecated and
 * pg 9 removes it; its query_timeout includes the time in the queue and does not close the connection.
 */
class QueryQueue implements Connection {
  readonly #client: pg.PoolClient;
  readonly #events: QueueEvents;
  #last: Promise<unknown> = Promise.resolve();
  #isBroken = false;

  constructor(client: pg.PoolClient, events: QueueEvents) {
    this.#client = client;
    this.#events = events;
  }

  /** Whether the connection must not be used again. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  readonly send: Send = async ({ name, text }, values = [], timeoutMs = timeouts.answer) => {
    const query = { name, text, values: [...values], rowMode: 'array' as const };
    const { rows, rowCount } = await this.#query(() => this.#client.query<unknown[]>(query), timeoutMs);
    return { rows, count: rowCount ?? 0 };
  };

  readonly command = async (sql: string): Promise<string> =>
    (await this.#query(() => this.#client.query(sql), timeouts.answer)).command;

  /** Resolves when all queries have their answers. */
  async whenIdle(): Promise<void> {
    await this.#last;
  }

  #query<Answer>(query: () => Promise<Answer>, timeoutMs: number): Promise<Answer> {
    const answer = this.#last.then(() => this.#queryNow(query, timeoutMs));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #queryNow<Answer>(query: () => Promise<Answer>, timeoutMs: number): Promise<Answer> {
    // Reject at once, because a ROLLBACK on a silent connection would wait for the timeout again.
    if (this.#isBroken) throw new StorageUnavailableError(new Error('The connection failed before.'));
    try {
      const answer = await withTimeout(query(), timeoutMs);
      this.#events.onAnswer();
      return answer;
    } catch (error) {
      this.#isBroken = !isAnswer(error);
      const failure = translate(error);
      if (error instanceof TimeoutError) this.#events.onSilence(failure);
      throw failure;
    }
  }
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

/**
 * Classes of SQLSTATE about the state of the engine, not about the statement: connection,
 * transaction rollback, resources, operator intervention, system error, internal error, sign-in
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const UNAVAILABLE_CLASSES = ['08', '28', '40', '53', '57', '58', 'XX'];

/** SQLSTATEs of other classes: no such database, no privilege, a read-only replica, idle too long, lock not available. */
const UNAVAILABLE = ['3D000', '42501', '25006', '25P03', '55P03'];

/** A serialization failure or a deadlock: the transaction may be run again. */
const CLASHES = ['40001', '40P01'];

/** The SQLSTATE of an error that the engine reported. */
export function sqlState(error: unknown): string | undefined {
  if (!isNativeError(error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the error came from the engine, over a connection that can be used again. */
export function isAnswer(error: unknown): boolean {
  const state = sqlState(error);
  // 57Pxx end the connection: shutdown, crash, database dropped.
  return state !== undefined && !/^(08|57P)/.test(state);
}

/** Whether the same transaction may succeed when it is run again. */
export function isClash(error: unknown): boolean {
  return CLASHES.includes(sqlState(error) ?? '');
}

/** The error for the callers of the storage: StorageUnavailableError if the engine cannot answer. */
export function translate(error: unknown): unknown {
  if (error instanceof StorageUnavailableError) return error;
  const state = sqlState(error);
  if (state === undefined) return isProgrammingError(error) ? error : new StorageUnavailableError(error);
  const unavailable = UNAVAILABLE.includes(state) || UNAVAILABLE_CLASSES.includes(state.slice(0, 2));
  return unavailable ? new StorageUnavailableError(error) : error;
}

/** Other errors come from the network or from the driver, which reports "Connection terminated" as a plain Error. */
function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
