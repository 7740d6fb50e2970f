import pg from 'pg';
import { timeouts, withTimeout } from '../../common/time.ts';
import { StorageUnavailableError } from '../storage.ts';
import { type ConnectionPool, sqlState, translate } from './pool.ts';
import { poolConfig } from './settings.ts';

export type Probe = {
  /** Resolves if the database answers; rejects with a StorageUnavailableError within `timeouts.probe`. */
  check: () => Promise<void>;
  close: () => Promise<void>;
};

/** Milliseconds for which an answer is reused, because anyone may ask for readiness as often as they like. */
const FRESH_FOR = 200;

const READ = { name: 'probe.read', text: 'SELECT 1' };

/**
 * Commits an entry to the write-ahead log, which needs no table, waits for no lock, and is only visible to logical
 * replicas that ask for messages. This detects a full disk of the log or a missing synchronous replica.
 */
const WRITE = {
  name: 'probe.write',
  text: `SELECT current_setting('transaction_read_only'),
    CASE current_setting('transaction_read_only') WHEN 'off' THEN
      pg_logical_emit_message(true, current_setting('application_name'), '') END`,
};

/**
 * Rejects with a StorageUnavailableError within `timeouts.probe` if the database takes no writes. A commit that hangs keeps one of the
 * places for writes, so that further probes do not take more and more connections of the database.
 */
export async function checkWrites(pool: Pick<ConnectionPool, 'use' | 'writeFailure'>): Promise<void> {
  const written = pool.use('write_probe', async ({ send }) => (await send(WRITE)).rows[0]?.[0]);
  const readOnly = await withTimeout(written, timeouts.probe).catch((error: unknown) => {
    throw translate(error);
  });
  if (readOnly !== 'off') {
    throw new StorageUnavailableError(new Error('The database only reads.'), 'the database only reads');
  }
  if (pool.writeFailure !== undefined) throw pool.writeFailure;
}

/** Probes the database over a separate connection, so that it never waits behind the work of callers. */
export function createProbe(
  { databaseUrl, service }: { databaseUrl: string; service: string },
  pool: Pick<ConnectionPool, 'use'>,
): Probe {
  let client: pg.Client | undefined;
  let checking: Promise<void> | undefined;
  let isClosed = false;

  async function connect(): Promise<pg.Client> {
    const { max, min, ...config } = poolConfig(databaseUrl, service);
    const connecting = new pg.Client(config);
    // The running query reports the error, but an unhandled 'error' event would end the process.
    connecting.on('error', () => disconnect(connecting));
    await connecting.connect();
    return connecting;
  }

  function disconnect(old: pg.Client | undefined): void {
    if (client === old) client = undefined;
    void old?.end().catch(() => {});
  }

  async function ask(): Promise<unknown> {
    try {
      client ??= await connect();
    } catch (error) {
      // The server takes no more connections, but the pool may have some.
      if (sqlState(error) !== '53300') throw error;
      return pool.use('probe', ({ send }) => send(READ));
    }
    return client.query(READ.text);
  }

  async function check(): Promise<void> {
    if (isClosed) throw new StorageUnavailableError(new Error('The storage is closed.'));
    try {
      await withTimeout(ask(), timeouts.probe);
    } catch (error) {
      disconnect(client);
      throw translate(error);
    }
  }

  return {
    check() {
      checking ??= check().then(
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
      checking = undefined;
      await client?.end().catch(() => {});
    },
  };

  function forget(): void {
    checking = undefined;
  }
}
