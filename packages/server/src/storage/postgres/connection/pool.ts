import pg from 'pg';
import { withTimeout } from '../../../common/with-timeout.ts';
import { StorageUnavailableError } from '../../storage.ts';
import { sqlState, translate } from '../failure.ts';
import { QueryQueue } from './query-queue.ts';
import { PATIENCE, Semaphore } from './semaphore.ts';
import { poolConfig, timeouts } from './settings.ts';
import type { Send } from './statement.ts';
import { types } from './types.ts';

/** A connection while a call has it. */
export type Connection = {
  send: Send;
  /** Sends a command that is not prepared, such as BEGIN; resolves to what the engine did, such as ROLLBACK. */
  command: (sql: string) => Promise<string>;
};

/** The connections of a process to one database. */
export type ConnectionPool = {
  /**
   * Runs `call` with a connection of its own. The errors of the engine are translated.
   * A connection that failed is not used again.
   */
  use: <T>(call: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Calls back each time it turns out that the engine is away. */
  onAway: (listener: (error: unknown) => void) => void;
  /** Waits for the calls that came, then disconnects. */
  close: () => Promise<void>;
};

/** Connects when the first call comes, and again when it must: the pool itself never fails. */
export function createPool(databaseUrl: string): ConnectionPool {
  const config = poolConfig(databaseUrl);
  const pool = new pg.Pool({ ...config, types });
  const semaphore = new Semaphore(config.max);
  const listeners: ((error: unknown) => void)[] = [semaphore.refuseWaiting.bind(semaphore)];
  const beAway = (error: unknown) => {
    for (const listener of listeners) listener(error);
  };
  // A connection may end while nobody uses it. Without a listener that would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));

  let answers = 0;
  const noteAnswer = () => {
    answers += 1;
  };

  async function connect(until = performance.now() + PATIENCE): Promise<pg.PoolClient> {
    const before = answers;
    try {
      return await pool.connect();
    } catch (error) {
      // Others are answered meanwhile: the engine is not away, only slow to let somebody in.
      const isBusy = answers > before && sqlState(error) === undefined;
      if (isBusy && performance.now() < until) return connect(until);
      const failure = translate(error);
      beAway(failure);
      throw failure;
    }
  }

  async function useClient<T>(call: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await connect();
    const line = new QueryQueue({ onAnswer: noteAnswer, onSilence: beAway });
    try {
      return await call(connectionOf(client, line));
    } finally {
      // What a call forgot to wait for must not meet the next one.
      await line.whenQuiet();
      client.release(line.isBroken);
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

function connectionOf(client: pg.PoolClient, line: QueryQueue): Connection {
  return {
    async send({ name, text }, values = [], timeoutMs = timeouts.answer) {
      const query = { name, text, values: [...values], rowMode: 'array' as const };
      const { rows, rowCount } = await line.ask(() => withTimeout(client.query<unknown[]>(query), timeoutMs));
      return { rows, count: rowCount ?? 0 };
    },
    command: async (sql) => (await line.ask(() => withTimeout(client.query(sql), timeouts.answer))).command,
  };
}

/** An answer that a call needs and did not get. */
export function lost(what: string): StorageUnavailableError {
  return new StorageUnavailableError(new Error(what));
}
