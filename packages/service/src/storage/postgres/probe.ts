import pg from 'pg';
import { TimeoutError, timeouts, withTimeout } from '../../common/time.ts';
import { StorageUnavailableError } from '../storage.ts';
import { type ConnectionPool, sqlState, translate } from './pool.ts';
import { poolConfig } from './settings.ts';

export type Probe = {
  /** Resolves if the database answers, or takes writes; rejects with a StorageUnavailableError within `timeouts.probe`. */
  check: () => Promise<void>;
  close: () => Promise<void>;
};

/** Milliseconds for which an answer is reused, because anyone may ask for readiness as often as they like. */
const FRESH_FOR = 200;

/** Milliseconds after which a probe that is still not answered is given up, and another one is sent. */
const GIVE_UP = 60_000;

const probes = {
  reads: 'SELECT 1',
  /**
   * Commits an entry to the write-ahead log, which needs no table, waits for no lock, and is only visible to logical
   * replicas that ask for messages. This detects a full disk of the log or a missing synchronous replica.
   */
  writes: `SELECT current_setting('transaction_read_only'),
    CASE current_setting('transaction_read_only') WHEN 'off' THEN
      pg_logical_emit_message(true, current_setting('application_name'), '') END`,
};

/** Probes the database over a separate connection, so that it never waits behind the work of callers. */
export function createProbe(
  { databaseUrl, service }: { databaseUrl: string; service: string },
  pool: Pick<ConnectionPool, 'use' | 'writeFailure'>,
  kind: keyof typeof probes,
): Probe {
  const text = probes[kind];
  /** The question that has no answer yet. */
  let asked: { answer: Promise<unknown>; until: number } | undefined;
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
      return pool.use('probe', async ({ send }) => (await send({ name: `probe.${kind}`, text })).rows[0]?.[0]);
    }
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    return rows[0]?.[0];
  }

  /** Does not ask again while a commit hangs, because each one would keep a connection in the database. */
  function askOnce(): Promise<unknown> {
    if (asked !== undefined && performance.now() < asked.until)
      throw new TimeoutError('The database has not answered the previous probe yet.');
    const answer = ask().finally(() => {
      if (asked?.answer === answer) asked = undefined;
    });
    asked = { answer, until: performance.now() + GIVE_UP };
    return answer;
  }

  async function check(): Promise<void> {
    if (isClosed) throw new StorageUnavailableError(new Error('The storage is closed.'));
    let readOnly: unknown;
    try {
      readOnly = await withTimeout(askOnce(), timeouts.probe);
    } catch (error) {
      const mayHang = kind === 'writes' && asked !== undefined && performance.now() < asked.until;
      if (!mayHang) {
        asked = undefined;
        disconnect(client);
      }
      throw translate(error);
    }
    if (kind === 'reads') return;
    // Writes are checked when the metrics are read, which is too rarely to keep a connection for it.
    disconnect(client);
    if (readOnly !== 'off') {
      throw new StorageUnavailableError(new Error('The database only reads.'), 'the database only reads');
    }
    if (pool.writeFailure !== undefined) throw pool.writeFailure;
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
