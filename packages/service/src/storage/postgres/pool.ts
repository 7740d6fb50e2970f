import pg from 'pg';
import { TimeoutError, timeouts } from '../../common/time.ts';
import { type StorageCall, type StorageLoad, StorageUnavailableError, WRITE_FAILURE_COUNTS } from '../storage.ts';
import type { Answer, Send } from '../store-definition.ts';
import { createAbandonedBackends, LEFT } from './abandoned.ts';
import { type Connection, type ConnectionEvents, PipelinedConnection, types } from './connection.ts';
import { isWriteFailure, READ_ONLY, sqlState, TOO_MANY_CONNECTIONS, translate } from './errors.ts';
import { type Hold, Semaphore } from './semaphore.ts';
import { isPooled, poolConfig } from './settings.ts';
import { SharedConnections } from './shared-connections.ts';

/** The connections of a process to one database. */
export type ConnectionPool = {
  /**
   * Runs `call` with its own connection, and translates the errors of the engine. A connection that failed is not used
   * again. Calls of one kind cannot take all connections.
   */
  use: <T>(kind: string, call: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Sends a statement on a connection that statements of its kind share. */
  send: (kind: string, ...query: Parameters<Send>) => Promise<Answer>;
  /** Sends statements one after the other on one connection that statements of their kind share. */
  sendAll: (kind: string, queries: readonly Parameters<Send>[]) => Promise<PromiseSettledResult<Answer>[]>;
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
  const connections = new WeakMap<pg.PoolClient, PipelinedConnection>();
  let pool = openPool();
  const semaphore = new Semaphore({ count: config.max, timeoutMs: timeouts.freeConnection, writes: isWriting });
  const abandoned = createAbandonedBackends((pids, seconds) =>
    use('abandoned', async ({ send }) => (await send(LEFT, [pids, seconds])).rows.map((row) => row[0])),
  );
  const callListeners: ((call: StorageCall) => void)[] = [];
  const shared = new Map<string, SharedConnections>();
  const listeners: ((error: unknown) => void)[] = [refuseWaiting];
  const reportAway = (error: unknown) => {
    for (const listener of listeners) listener(error);
  };

  function refuseWaiting(error: unknown): void {
    semaphore.refuseWaiting(error);
    for (const one of shared.values()) one.refuseWaiting(error);
  }

  function openPool(): pg.Pool {
    const opened = new pg.Pool({ ...config, types, pipeline: true });
    // An idle connection may fail, and an unhandled 'error' event would end the process.
    opened.on('error', () => {});
    opened.on('connect', (client) => {
      client.on('error', () => {});
      connections.set(client, new PipelinedConnection(client, eventsOf(opened), usesNames));
    });
    return opened;
  }

  let answers = 0;
  let lastAnswerAt = 0;
  let replacedAt = Number.NEGATIVE_INFINITY;
  let writeFailure: { error: StorageUnavailableError; at: number } | undefined;
  const eventsOf = (opened: pg.Pool): ConnectionEvents => ({
    onAnswer(command) {
      answers += 1;
      lastAnswerAt = performance.now();
      if (command === 'COMMIT' && writeFailure?.error.reason === 'the database only reads') writeFailure = undefined;
    },
    onFailure(error, failure) {
      if (sqlState(error) === READ_ONLY && opened === pool) replacePool();
      if (isWriteFailure(failure)) writeFailure = { error: failure, at: performance.now() };
      // If no other answer arrives either, calls that wait for a connection would also wait in vain.
      if (!(error instanceof TimeoutError) || performance.now() - lastAnswerAt <= SILENCE) return;
      // Those of a pool that was replaced are late, and say nothing about the new one.
      if (opened !== pool) return;
      // Idle connections are as silent, and each of them would make another request wait.
      replacePool();
      reportAway(failure);
    },
  });

  /** After a failover the other connections lead to the same server, which only reads now or is silent; new ones lead to the primary server. */
  function replacePool(): void {
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
      const isBusy = answers > before && error instanceof Error && /timeout/.test(error.message);
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

  async function useClient<T>(call: (connection: PipelinedConnection) => Promise<T>, hold?: Hold): Promise<T> {
    const client = await connect();
    const connection = connections.get(client);
    if (connection === undefined) throw new Error('The pool opened a connection without an event.');
    try {
      return await call(connection);
    } finally {
      // Queries that the call did not await must not run together with the next call.
      await connection.whenIdle();
      client.release(connection.isBroken);
      // The backend still takes a connection of the server, so no other one may take its place.
      if (connection.isSilent && 'processID' in client) hold?.(abandoned.add(Number(client.processID)));
    }
  }

  /**
   * Reads never keep a place: PostgreSQL ends them, and the check of abandoned backends needs a place. Behind PgBouncer, the process IDs are
   * invented, and could be those of other backends.
   */
  function mayHold(kind: string): boolean {
    return isWriting(kind) && config.max > 1 && usesNames;
  }

  /** Refuses writes at once while all places for them are taken by writes that have no answer. */
  async function assertWritable(): Promise<void> {
    await abandoned.check();
    if (abandoned.size < semaphore.writingPlaces) return;
    const reason = new Error(`${abandoned.size} earlier writes are still waiting for the database to respond.`);
    throw new StorageUnavailableError(reason, 'writes to the database fail');
  }

  async function use<T>(kind: string, call: (connection: PipelinedConnection) => Promise<T>): Promise<T> {
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

  function sharedBy(kind: string): SharedConnections {
    const known = shared.get(kind);
    if (known !== undefined) return known;
    const created = new SharedConnections({
      use: (call) => use(kind, call),
      isContended: () => semaphore.isContended,
      isPooled: !usesNames,
      maxWaiting: semaphore.limits.maxWaiting,
    });
    shared.set(kind, created);
    return created;
  }

  /** Runs a call, and reports how long it waited and took. */
  async function observe<T>(kind: string, call: (onStart: () => void) => Promise<T>): Promise<T> {
    const queuedAt = performance.now();
    let startedAt: number | undefined;
    let isFailed = true;
    try {
      const result = await call(() => {
        startedAt ??= performance.now();
      });
      isFailed = false;
      return result;
    } finally {
      const endedAt = performance.now();
      const seen = { kind, queuedAt, startedAt: startedAt ?? endedAt, endedAt, isFailed };
      for (const listener of callListeners) listener(seen);
    }
  }

  function useObserved<T>(kind: string, call: (connection: Connection) => Promise<T>): Promise<T> {
    return observe(kind, (onStart) =>
      use(kind, (connection) => {
        onStart();
        return call(connection);
      }),
    );
  }

  async function send(kind: string, ...query: Parameters<Send>): Promise<Answer> {
    if (callListeners.length === 0) return sharedBy(kind).send(query, () => {});
    return observe(kind, (onStart) => sharedBy(kind).send(query, onStart));
  }

  async function sendAll(kind: string, queries: readonly Parameters<Send>[]): Promise<PromiseSettledResult<Answer>[]> {
    const all = ({ send }: Connection) => Promise.allSettled(queries.map((query) => send(...query)));
    return sharedBy(kind).run(all);
  }

  function waiting(): Record<string, number> {
    const numbers = semaphore.waiting();
    for (const [kind, { waiting }] of shared) numbers[kind] = Math.max(numbers[kind] ?? 0, waiting);
    return numbers;
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    for (const one of shared.values()) await one.whenSent();
    await semaphore.close();
    await pool.end();
  }

  const counts = { open: () => pool.totalCount, used: () => semaphore.running, limit: config.max };
  const load: StorageLoad = {
    ...{ connections: counts, maxWaiting: semaphore.limits.maxWaiting, waiting },
    onCall: (listener) => void callListeners.push(listener),
  };
  return {
    load,
    send,
    sendAll,
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
