import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { TimeoutError, timeouts, withTimeout } from '../../common/time.ts';
import { StorageUnavailableError } from '../storage.ts';
import { sqlState, TOO_MANY_CONNECTIONS, translate } from './errors.ts';
import type { ConnectionPool } from './pool.ts';
import { poolConfig } from './settings.ts';

export type Probe = {
  /** Resolves if the database answers, or takes writes; rejects with a StorageUnavailableError within `timeouts.probe`. */
  check: () => Promise<void>;
  close: () => Promise<void>;
};

export type ProbedDatabase = { databaseUrl: string; service: string };

/** Milliseconds for which an answer is reused, because anyone may ask for readiness as often as they like. */
const FRESH_FOR = 200;

const READ = { name: 'probe.read', text: 'SELECT 1' };

/**
 * Commits an entry to the write-ahead log, which needs no table, waits for no lock, and is only visible to logical
 * replicas that ask for messages. This detects a full disk of the log or a missing synchronous replica.
 */
const WRITE = `SELECT current_setting('transaction_read_only'),
    CASE current_setting('transaction_read_only') WHEN 'off' THEN
      pg_logical_emit_message(true, current_setting('application_name'), '') END`;

const MODE = { name: 'probe.mode', text: "SELECT current_setting('transaction_read_only')" };

const RUNNING = "SELECT 1 FROM pg_stat_activity WHERE starts_with(query, $1) AND state <> 'idle'";

/** Probes reads over a connection that it keeps, so that it never waits behind the work of callers. */
export function createReadProbe(database: ProbedDatabase, pool: Pick<ConnectionPool, 'use'>): Probe {
  let client: pg.Client | undefined;

  function disconnect(old: pg.Client | undefined): void {
    if (client === old) client = undefined;
    void old?.end().catch(() => {});
  }

  async function connect(): Promise<pg.Client> {
    const connecting = createClient(database, () => disconnect(connecting));
    await connecting.connect();
    return connecting;
  }

  async function ask(): Promise<unknown> {
    try {
      client ??= await connect();
    } catch (error) {
      if (sqlState(error) !== TOO_MANY_CONNECTIONS) throw error;
      // The pool may still have open connections.
      return pool.use('probe', ({ send }) => send(READ));
    }
    return client.query(READ.text);
  }

  async function check(): Promise<void> {
    try {
      await withTimeout(ask(), timeouts.probe);
    } catch (error) {
      disconnect(client);
      throw error;
    }
  }

  return createProbe(check, () => disconnect(client));
}

/**
 * Probes writes over a new connection each time, so that it waits neither behind the work of callers nor for their locks, and reaches the
 * primary server after a failover. Writes are checked when the metrics are read, which is rare.
 */
export function createWriteProbe(database: ProbedDatabase, pool: Pick<ConnectionPool, 'use' | 'writeFailure'>): Probe {
  /** Begins the statement, so that its backend can be found: behind PgBouncer, process IDs are invented. */
  const marker = `/* ${randomUUID()} */`;
  const open = new Set<pg.Client>();
  let isAnswered = true;

  /** A commit that hangs keeps its backend, and further ones would take more and more connections of the database. */
  async function assertNoneHangs(client: pg.Client): Promise<void> {
    if (isAnswered) return;
    const { rows } = await client.query({ text: RUNNING, values: [marker] });
    if (rows.length > 0) throw new TimeoutError('The database has not answered the previous probe yet.');
  }

  /** Resolves to `on` if the database is read-only, and to `off` otherwise. */
  async function ask(client: pg.Client): Promise<unknown> {
    try {
      await client.connect();
    } catch (error) {
      if (sqlState(error) !== TOO_MANY_CONNECTIONS) throw error;
      // The pool may still have open connections. A commit that hangs would take one of them.
      return pool.use('probe', async ({ send }) => (await send(MODE)).rows[0]?.[0]);
    }
    await assertNoneHangs(client);
    isAnswered = false;
    const { rows } = await client.query<unknown[]>({ text: `${marker} ${WRITE}`, rowMode: 'array' });
    isAnswered = true;
    return rows[0]?.[0];
  }

  async function check(): Promise<void> {
    const client = createClient(database, () => {});
    open.add(client);
    const readOnly = await withTimeout(ask(client), timeouts.probe).finally(() => disconnect(client));
    if (readOnly !== 'off') {
      throw new StorageUnavailableError(new Error('The database only reads.'), 'the database only reads');
    }
    if (pool.writeFailure !== undefined) throw pool.writeFailure;
  }

  function disconnect(client: pg.Client): void {
    open.delete(client);
    void client.end().catch(() => {});
  }

  return createProbe(check, () => open.forEach(disconnect));
}

/** @param onError the connection has failed; its running query reports that, too */
function createClient({ databaseUrl, service }: ProbedDatabase, onError: () => void): pg.Client {
  const { max, min, ...config } = poolConfig(databaseUrl, service);
  // Without a listener, an 'error' event would end the process.
  return new pg.Client(config).on('error', onError);
}

/** Shares the result of a check between the calls of a short time. */
function createProbe(check: () => Promise<void>, disconnect: () => void): Probe {
  let checking: Promise<void> | undefined;
  let isClosed = false;

  function forget(): void {
    checking = undefined;
  }

  async function checkNow(): Promise<void> {
    if (isClosed) throw new StorageUnavailableError(new Error('The storage is closed.'));
    try {
      await check();
    } catch (error) {
      throw translate(error);
    }
  }

  return {
    check() {
      checking ??= checkNow().then(
        () => void setTimeout(forget, FRESH_FOR).unref(),
        (error) => {
          forget();
          throw error;
        },
      );
      return checking;
    },
    async close() {
      isClosed = true;
      forget();
      disconnect();
    },
  };
}
