import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { TimeoutError, timeouts, withTimeout } from '../../common/time.ts';
import { unexpected } from '../rows.ts';
import {
  type StorageCall,
  type StorageLoad,
  StorageUnavailableError,
  type UnavailableReason,
  WRITE_FAILURE_COUNTS,
} from '../storage.ts';
import type { Send } from '../store-definition.ts';
import { createAbandonedBackends, LEFT } from './abandoned.ts';
import { type Hold, Semaphore } from './semaphore.ts';
import { isPooled, poolConfig } from './settings.ts';

/** A connection, as a call uses it. */
export type Connection = {
  send: Send;
  /** Sends an unprepared command such as BEGIN. Resolves to the command tag, which is ROLLBACK if a COMMIT failed. */
  command: (sql: string) => Promise<string>;
};

/** The connections of a process to one database. */
export type ConnectionPool = {
  /**
   * Runs `call` with its own connection, and translates the errors of the engine. A connection that failed is not used
   * again. Calls of one kind cannot take all connections.
   */
  use: <T>(kind: string, call: (connection: Connection) => Promise<T>) => Promise<T>;
  /** The last failure of a write that would fail for any caller, if it is recent. */
  readonly writeFailure: StorageUnavailableError | undefined;
  /** Calls back each time the engine turns out to be unavailable. */
  onAway: (listener: (error: unknown) => void) => void;
  readonly load: StorageLoad;
  /** Waits for running calls, then disconnects. */
  close: () => Promise<void>;
};

/** Milliseconds until the pool tries again to open all its connections, or to replace them. */
const RETRY_INTERVAL = 1_000;

/** Milliseconds without any answer after which an answer that is late means that the engine is away, and not only slow at one query. */
const SILENCE = 500;

/** The server takes no more connections, but this process has some. */
class NoMoreConnectionsError extends StorageUnavailableError {}

/** Kinds of work that commit. They leave connections to reads, so that commits that hang never take reads away. */
function isWriting(kind: string): boolean {
  return ['transactions', 'maintenance', 'counts'].includes(kind);
}

/** Connects on the first call, and reconnects if necessary: the pool itself never fails. */
export function createPool(databaseUrl: string, service: string): ConnectionPool {
  const config = poolConfig(databaseUrl, service);
  const usesNames = !isPooled(databaseUrl);
  let pool = openPool();
  const semaphore = new Semaphore({ count: config.max, timeoutMs: timeouts.freeConnection, writes: isWriting });
  const abandoned = createAbandonedBackends((pids, seconds) =>
    use('abandoned', async ({ send }) => (await send(LEFT, [pids, seconds])).rows.map((row) => row[0])),
  );
  const callListeners: ((call: StorageCall) => void)[] = [];
  const listeners: ((error: unknown) => void)[] = [(error) => semaphore.refuseWaiting(error)];
  const reportAway = (error: unknown) => {
    for (const listener of listeners) listener(error);
  };

  function openPool(): pg.Pool {
    const opened = new pg.Pool({ ...config, types });
    // An idle connection may fail, and an unhandled 'error' event would end the process.
    opened.on('error', () => {});
    opened.on('connect', (client) => void client.on('error', () => {}));
    return opened;
  }

  let answers = 0;
  let lastAnswerAt = 0;
  let replacedAt = Number.NEGATIVE_INFINITY;
  let writeFailure: { error: StorageUnavailableError; at: number } | undefined;
  const events: QueueEvents = {
    onAnswer(command) {
      answers += 1;
      lastAnswerAt = performance.now();
      if (command === 'COMMIT' && writeFailure?.error.reason === 'the database only reads') writeFailure = undefined;
    },
    onFailure(error, failure) {
      if (sqlState(error) === READ_ONLY) replaceConnections();
      if (isWriteFailure(failure)) writeFailure = { error: failure, at: performance.now() };
      // If no other answer arrives either, calls that wait for a connection would also wait in vain.
      if (error instanceof TimeoutError && performance.now() - lastAnswerAt > SILENCE) reportAway(failure);
    },
  };

  /** After a failover the other connections lead to the same server, which only reads now; new ones lead to the primary server. */
  function replaceConnections(): void {
    if (performance.now() - replacedAt < RETRY_INTERVAL) return;
    replacedAt = performance.now();
    const old = pool;
    pool = openPool();
    void old.end();
  }

  /** Makes calls wait for the open connections instead of trying to open more. */
  function keepToOpenConnections(): void {
    semaphore.setCount(pool.totalCount);
    setTimeout(() => semaphore.setCount(config.max), RETRY_INTERVAL).unref();
  }

  async function connect(until = performance.now() + timeouts.freeConnection): Promise<pg.PoolClient> {
    const before = answers;
    try {
      return await pool.connect();
    } catch (error) {
      // If other calls got answers in the meantime, the engine is only slow to accept a connection.
      const isBusy = answers > before && sqlState(error) === undefined;
      if (isBusy && performance.now() < until) return connect(until);
      if (sqlState(error) === TOO_MANY_CONNECTIONS && pool.totalCount > 0) {
        keepToOpenConnections();
        throw new NoMoreConnectionsError(error);
      }
      const failure = translate(error);
      reportAway(failure);
      throw failure;
    }
  }

  async function useClient<T>(call: (connection: Connection) => Promise<T>, hold?: Hold): Promise<T> {
    const client = await connect();
    const queue = new QueryQueue(client, events, usesNames);
    try {
      return await call(queue);
    } finally {
      // Queries that the call did not await must not run together with the next call.
      await queue.whenIdle();
      client.release(queue.isBroken);
      // The backend still takes a connection of the server, so no other one may take its place.
      if (queue.isSilent && 'processID' in client) hold?.(abandoned.add(Number(client.processID)));
    }
  }

  /**
   * Reads never keep a place: PostgreSQL ends them, and the check of abandoned backends needs a place. Behind PgBouncer, the process IDs are
   * invented, and could be those of other backends.
   */
  function mayHold(kind: string): boolean {
    return isWriting(kind) && config.max > 1 && !isPooled(databaseUrl);
  }

  /** Refuses writes at once while all places for them are taken by writes that have no answer. */
  async function assertWritable(): Promise<void> {
    await abandoned.check();
    if (abandoned.size < semaphore.writingPlaces) return;
    const reason = new Error(`${abandoned.size} earlier writes are still waiting for the database to respond.`);
    throw new StorageUnavailableError(reason, 'writes to the database fail');
  }

  async function use<T>(kind: string, call: (connection: Connection) => Promise<T>): Promise<T> {
    // Not awaited otherwise, because a call that began before `close` must run.
    if (isWriting(kind) && abandoned.size >= semaphore.writingPlaces) await assertWritable();
    const until = performance.now() + timeouts.freeConnection;
    for (;;) {
      try {
        return await semaphore.use(kind, (hold) => useClient(call, mayHold(kind) ? hold : undefined));
      } catch (error) {
        if (!(error instanceof NoMoreConnectionsError) || performance.now() > until) throw error;
      }
    }
  }

  /** As `use`, and reports how long the call waited and took. */
  async function useObserved<T>(kind: string, call: (connection: Connection) => Promise<T>): Promise<T> {
    const queuedAt = performance.now();
    let startedAt: number | undefined;
    let isFailed = true;
    try {
      const result = await use(kind, (connection) => {
        startedAt ??= performance.now();
        return call(connection);
      });
      isFailed = false;
      return result;
    } finally {
      const endedAt = performance.now();
      const seen = { kind, queuedAt, startedAt: startedAt ?? endedAt, endedAt, isFailed };
      for (const listener of callListeners) listener(seen);
    }
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await semaphore.close();
    await pool.end();
  }

  const connections = { open: () => pool.totalCount, used: () => semaphore.running, limit: config.max };
  const load: StorageLoad = {
    ...{ connections, maxWaiting: semaphore.limits.maxWaiting },
    waiting: () => semaphore.waiting(),
    onCall: (listener) => void callListeners.push(listener),
  };
  return {
    load,
    use: (kind, call) => (callListeners.length === 0 ? use(kind, call) : useObserved(kind, call)),
    get writeFailure() {
      const isRecent = writeFailure !== undefined && performance.now() - writeFailure.at < WRITE_FAILURE_COUNTS;
      return isRecent ? writeFailure?.error : undefined;
    },
    onAway: (listener) => void listeners.push(listener),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

type QueueEvents = {
  onAnswer: (command: string) => void;
  /** `failure` is the error as the callers of the storage see it. */
  onFailure: (error: unknown, failure: unknown) => void;
};

/**
 * Runs the queries of one connection one after another, until the connection fails. The driver's own queue is deprecated
 * and pg 9 removes it; its query_timeout includes the time in the queue and does not close the connection.
 */
class QueryQueue implements Connection {
  readonly #client: pg.PoolClient;
  readonly #events: QueueEvents;
  readonly #usesNames: boolean;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether the connection must not be used again. */
  isBroken = false;
  /** Whether the engine did not answer in time, so that its backend may still run. */
  isSilent = false;

  constructor(client: pg.PoolClient, events: QueueEvents, usesNames: boolean) {
    this.#client = client;
    this.#events = events;
    this.#usesNames = usesNames;
  }

  readonly send: Send = async ({ name, text }, values = [], timeoutMs = timeouts.answer) => {
    const query = { text, values: [...values], rowMode: 'array' as const, ...(this.#usesNames ? { name } : {}) };
    const { rows, rowCount } = await this.#query(() => this.#client.query<unknown[]>(query), timeoutMs);
    return { rows, count: rowCount ?? 0 };
  };

  readonly command = async (sql: string): Promise<string> => {
    return (await this.#query(() => this.#client.query(sql), timeouts.answer)).command;
  };

  /** Resolves when all queries have their answers. */
  async whenIdle(): Promise<void> {
    await this.#last;
  }

  #query<Answer extends { command: string }>(query: () => Promise<Answer>, timeoutMs: number): Promise<Answer> {
    const answer = this.#last.then(() => this.#queryNow(query, timeoutMs));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #queryNow<Answer extends { command: string }>(
    query: () => Promise<Answer>,
    timeoutMs: number,
  ): Promise<Answer> {
    // Reject at once, because a ROLLBACK on a silent connection would wait for the timeout again.
    if (this.isBroken) throw new StorageUnavailableError(new Error('The connection failed before.'));
    try {
      const answer = await withTimeout(query(), timeoutMs);
      this.#events.onAnswer(answer.command);
      return answer;
    } catch (error) {
      this.isBroken = !isAnswer(error) || sqlState(error) === READ_ONLY;
      this.isSilent ||= error instanceof TimeoutError;
      const failure = translate(error);
      this.#events.onFailure(error, failure);
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

/** The server takes no more connections. */
export const TOO_MANY_CONNECTIONS = '53300';
const READ_ONLY = '25006';

/**
 * A serialization failure or a deadlock: the transaction may be run again. So it may after an error of a server that only reads,
 * because the next connection may lead to the new primary server.
 */
const CLASHES = ['40001', '40P01', READ_ONLY];

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
  return unavailable ? new StorageUnavailableError(error, reasonOf(state)) : error;
}

/** Disk full, and errors of the file system; reads may still succeed. */
function reasonOf(state: string): UnavailableReason {
  if (state === READ_ONLY) return 'the database only reads';
  if (state === '53100') return 'the disk of the database is full';
  return state.startsWith('58') ? 'writes to the database fail' : 'the database does not answer';
}

function isWriteFailure(failure: unknown): failure is StorageUnavailableError {
  return failure instanceof StorageUnavailableError && failure.reason !== 'the database does not answer';
}

/** Other errors come from the network or from the driver, which reports "Connection terminated" as a plain Error. */
function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
