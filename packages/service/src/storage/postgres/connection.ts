import { Duplex } from 'node:stream';
import pg from 'pg';
import { TimeoutError, withTimeout } from '../../common/time.ts';
import { type Row, unexpected } from '../rows.ts';
import { StorageUnavailableError } from '../storage.ts';
import type { Send } from '../store-definition.ts';
import { isAnswer, READ_ONLY, sqlState, translate } from './errors.ts';

type Query = { text: string; name?: string; values?: unknown[] };

export type ConnectionOptions = {
  answerMs: number;
  /** The errors with which connections ended. */
  failures: WeakMap<pg.PoolClient, Error>;
  /** Called with each error of a query, as the callers of the storage see it. */
  onFailure: (error: unknown) => void;
};

/** A connection while a call has it. Its statements are sent at once and answered in their order, and its errors are translated. */
export class Connection {
  readonly #client: pg.PoolClient;
  readonly #options: ConnectionOptions;
  readonly #stream: Duplex | undefined;
  #isCorked = false;
  /** The answer to the last query, before which all others are answered. */
  #last: Promise<unknown> | undefined;
  /** When the last answer arrived, by `performance.now()`. */
  #answeredAt = 0;
  inFlight = 0;
  isBroken = false;
  /** Whether an answer did not arrive in time, so that the server may still be working on it. */
  isLate = false;
  /** Whether no other answer arrived in that time, either. */
  isSilent = false;

  constructor(client: pg.PoolClient, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
    this.#stream = streamOf(client);
  }

  get isUsable(): boolean {
    return !this.isBroken && !this.isLate;
  }

  readonly send: Send = async ({ name, text }, values = [], timeoutMs = this.#options.answerMs) => {
    const { rows, rowCount } = await this.#query({ name, text, values: [...values] }, timeoutMs);
    return { rows, count: rowCount ?? 0 };
  };

  /** Sends an unprepared command such as BEGIN. Resolves to the command tag, which is ROLLBACK if a COMMIT failed. */
  readonly command = async (sql: string): Promise<string> => {
    const { command } = await this.#query({ text: sql }, this.#options.answerMs);
    return command;
  };

  /** Resolves when all queries have their answers, or the connection has ended. */
  async whenIdle(): Promise<void> {
    if (this.inFlight > 0) await this.#last?.catch(() => {});
  }

  /** Makes what all callers send in this turn of the event loop one write to the socket. */
  #cork(): void {
    if (this.#isCorked || this.#stream === undefined) return;
    this.#isCorked = true;
    this.#stream.cork();
    setImmediate(() => {
      this.#isCorked = false;
      this.#stream?.uncork();
    });
  }

  async #query(query: Query, timeoutMs: number): Promise<pg.QueryArrayResult<Row & unknown[]>> {
    // At once, because a ROLLBACK on a silent connection would wait for the timeout again.
    if (!this.isUsable) {
      this.isBroken = true;
      throw new StorageUnavailableError(new Error('The connection failed before.'));
    }
    const sentAt = performance.now();
    this.#cork();
    const answer = this.#client.query<unknown[]>({ ...query, rowMode: 'array' }).finally(() => {
      this.#answeredAt = performance.now();
      this.inFlight -= 1;
    });
    this.inFlight += 1;
    this.#last = answer;
    try {
      return await withTimeout(answer, timeoutMs);
    } catch (error) {
      if (error instanceof TimeoutError) {
        this.isLate = true;
        this.isSilent = this.#answeredAt < sentAt;
      } else this.isBroken ||= !isAnswer(error) || sqlState(error) === READ_ONLY;
      const failure = translate(this.#options.failures.get(this.#client) ?? error);
      this.#options.onFailure(failure);
      throw failure;
    }
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
