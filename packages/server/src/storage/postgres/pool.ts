import pg from 'pg';
import { TimeoutError, withTimeout } from '../../common/with-timeout.ts';
import { unexpected } from '../rows.ts';
import { StorageUnavailableError } from '../storage.ts';
import type { Send } from '../store-definition.ts';
import { isAnswer, sqlState, translate } from './errors.ts';
import { Semaphore } from './semaphore.ts';
import { poolConfig, timeouts } from './settings.ts';

/** A connection while a call has it. */
export type Connection = {
  send: Send;
  /** Sends a command that is not prepared, such as BEGIN; resolves to what the engine did, such as ROLLBACK. */
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

/** Connects when the first call comes, and reconnects when necessary: the pool itself never fails. */
export function createPool(databaseUrl: string): ConnectionPool {
  const config = poolConfig(databaseUrl);
  const pool = new pg.Pool({ ...config, types });
  const semaphore = new Semaphore(config.max, timeouts.freeConnection);
  const listeners: ((error: unknown) => void)[] = [(error) => semaphore.refuseWaiting(error)];
  const reportAway = (error: unknown) => {
    for (const listener of listeners) listener(error);
  };
  // A connection may end while no call uses it. Without a listener that would end the process.
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
      // If other calls got answers meanwhile, the engine is only slow to accept a connection.
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
  /** No answer came in time: calls that wait for a connection would wait in vain, too. */
  onSilence: (error: unknown) => void;
};

/**
 * The queries of one connection, one after the other, until it fails. The driver's own queue is deprecated and goes with
 * pg 9, and its query_timeout counts the time in that queue and keeps the connection.
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
    // Fails at once: a ROLLBACK on a silent connection would wait for the time-out again.
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

/** int8 as a number, which must hold it exactly; everything else as the driver reads it. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === pg.types.builtins.INT8 ? safeInteger : pg.types.getTypeParser(oid, format);
  },
};

function safeInteger(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : unexpected('an integer below 2^53');
}
