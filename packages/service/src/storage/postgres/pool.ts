import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { TimeoutError, withTimeout } from '../../common/time.ts';
import { type StorageLoad, StorageUnavailableError } from '../storage.ts';
import type { Send } from '../store-definition.ts';
import { Connection, types } from './connection.ts';
import { READ_ONLY, sqlState, TOO_MANY_CONNECTIONS, translate } from './errors.ts';
import { answerMs, type DatabaseLimits, poolConfig, poolSizes } from './settings.ts';
import { SharedReads } from './shared-reads.ts';

/** A pool of `pg` for reads, and one for what commits, so that commits that hang leave reads alone. */
export type ConnectionPools = {
  /** Waits for a first connection of each pool as long as an attempt to connect may take. A request would not wait so long. */
  open: () => Promise<unknown>;
  read: Send;
  /** Runs `call` with its own connection for writes. */
  write: <T>(call: (connection: Connection) => Promise<T>, waitMs?: number) => Promise<T>;
  readonly load: StorageLoad;
  close: () => Promise<void>;
};

export const MAX_WAITING = 1_000;

/** Milliseconds between attempts to connect while the server takes no more connections, but this process has some. */
const RETRY_INTERVAL = 20;

/** Milliseconds between two replacements of all connections, because a database may only read for long. */
const REPLACE_INTERVAL = 1_000;

/** Milliseconds after which a connection whose commit hangs is closed. Its backend then stays until the commit ends. */
const LONGEST_COMMIT = 65_000;

/** Connects on the first call, and reconnects if necessary: the pools themselves never fail. */
export function createPools(databaseUrl: string, service: string, limits: DatabaseLimits): ConnectionPools {
  const config = poolConfig(databaseUrl, service, limits);
  const { readers, writers } = poolSizes(databaseUrl);
  const openedAt = new WeakMap<pg.PoolClient, number>();
  const failures = new WeakMap<pg.PoolClient, Error>();
  const options = { answerMs: answerMs(limits), failures, onFailure: noteFailure };
  const reads = openPool(readers, options.answerMs + limits.waitMs);
  const writes = openPool(writers, LONGEST_COMMIT);
  const shared = new SharedReads({
    use: (call) => use(reads, call),
    ...{ count: readers, maxWaiting: MAX_WAITING, waitMs: limits.waitMs },
  });
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  let replaced = { at: Number.NEGATIVE_INFINITY, ...Promise.withResolvers<void>() };

  function openPool(max: number, queryTimeout: number): pg.Pool {
    // In pipeline mode, BEGIN and the first statement are one round trip.
    const pool = new pg.Pool({ ...config, max, query_timeout: queryTimeout, types, pipeline: true });
    // An idle connection may fail, and an unhandled 'error' event would end the process.
    pool.on('error', () => {});
    pool.on('connect', (client) => {
      // While no query runs, such as that of a transaction that was idle for too long: later errors say only that the connection has ended.
      client.on('error', (error) => failures.set(client, failures.get(client) ?? error));
      openedAt.set(client, performance.now());
    });
    return pool;
  }

  /** After a failover the open connections lead to the old server, which is silent or only reads: new ones lead to the primary server. */
  function replaceConnections(): void {
    if (performance.now() - replaced.at < REPLACE_INTERVAL) return;
    replaced.resolve();
    replaced = { at: performance.now(), ...Promise.withResolvers<void>() };
  }

  /** A free connection. If the wait is over, an attempt to connect continues, and its connection joins the pool. */
  async function connect(pool: pg.Pool, waitMs: number): Promise<pg.PoolClient> {
    if (pool.waitingCount >= MAX_WAITING) throw new Error('Too many calls wait for a connection to the database.');
    const until = performance.now() + waitMs;
    for (;;) {
      const connecting = pool.connect();
      try {
        const client = await withTimeout(connecting, Math.max(0, until - performance.now()));
        if ((openedAt.get(client) ?? 0) > replaced.at) return client;
        client.release(true);
      } catch (error) {
        if (error instanceof TimeoutError) {
          connecting.then((client) => client.release()).catch(() => {});
          throw new Error('No connection to the database became free in time.', { cause: error });
        }
        if (sqlState(error) !== TOO_MANY_CONNECTIONS || pool.totalCount === 0) throw error;
        await setTimeout(RETRY_INTERVAL);
      }
    }
  }

  async function giveBack(pool: pg.Pool, client: pg.PoolClient, connection: Connection): Promise<void> {
    if (connection.isSilent && pool === reads) {
      // The server ends a statement that is only slow, so it is the server that is silent.
      replaceConnections();
      client.release(true);
    } else if (connection.isLate) {
      // A commit that waits for a synchronous replica keeps its backend, so it also keeps its place in the pool.
      const isOver = connection.whenIdle().then(() => true);
      const isAnswered = await Promise.race([isOver, replaced.promise.then(() => false)]);
      client.release(connection.isBroken || !isAnswered);
    } else {
      // Queries that the call did not await must not run together with the next call.
      await connection.whenIdle();
      client.release(connection.isBroken);
    }
  }

  async function use<T>(
    pool: pg.Pool,
    call: (connection: Connection) => Promise<T>,
    waitMs = limits.waitMs,
  ): Promise<T> {
    const client = await connect(pool, waitMs).catch((error) => {
      throw translate(error);
    });
    const connection = new Connection(client, options);
    try {
      return await call(connection);
    } finally {
      void giveBack(pool, client, connection);
    }
  }

  function noteFailure(error: unknown): void {
    if (error instanceof StorageUnavailableError && sqlState(error.cause) === READ_ONLY) replaceConnections();
  }

  /** Keeps track of a call until it ends, because `close` waits for it. */
  async function track<T>(run: () => Promise<T>): Promise<T> {
    if (isClosed) throw new StorageUnavailableError(new Error('The storage is closed.'));
    const call = run();
    running.add(call);
    try {
      return await call;
    } finally {
      running.delete(call);
    }
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    isClosed = true;
    await Promise.allSettled(running);
    // Gives back the connections whose commits hang.
    replaced.resolve();
    await Promise.all([reads.end(), writes.end()]);
  }

  const pools = [reads, writes];
  const sum = (countOf: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + countOf(pool), 0);
  return {
    open: () => Promise.all(pools.map((pool) => use(pool, async () => {}, limits.connectMs))),
    read: (...query) => track(() => shared.send(query)),
    write: (call, waitMs) => track(() => use(writes, call, waitMs)),
    load: {
      connections: {
        open: () => sum(({ totalCount }) => totalCount),
        used: () => sum(({ totalCount, idleCount }) => totalCount - idleCount),
        limit: readers + writers,
      },
      waiting: () => ({ reads: shared.waiting, writes: writes.waitingCount }),
      maxWaiting: MAX_WAITING,
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
