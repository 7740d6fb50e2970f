import { setTimeout } from 'node:timers/promises';
import { TimeoutError, withTimeout } from '../../common/time.ts';
import { OutcomeUnknownError, StorageUnavailableError } from '../storage.ts';
import type { Send } from '../store-definition.ts';
import { TransactionContext } from '../transaction-context.ts';
import type { Connection } from './connection.ts';
import { isAnswer, isClash } from './errors.ts';
import { type ConnectionPools, MAX_WAITING } from './pool.ts';

/** Milliseconds before a transaction that clashed with another one runs again. */
const CLASH_DELAY = 10;

const GROUP_SIZE = 50;

/** While one group waits for the disk, another one collects. */
const MAX_GROUPS = 2;

/** Milliseconds that the work of a transaction may take in a group, because the others wait for it. */
const WORK_MS = 2_000;

/** All transactions of a group wait for the lock that one of them waits for. */
const BEGIN_GROUP = "BEGIN; SET LOCAL lock_timeout = '100ms'";

type Work<T> = (send: Send) => Promise<T>;

type Member = {
  /** Runs its work. Resolves to a function that reports success to the caller. */
  run: (send: Send) => Promise<() => void>;
  close: () => void;
  runAlone: () => void;
  reject: (error: unknown) => void;
};

/** A transaction of a group sent something else than an INSERT. */
class NotSharedError extends Error {}

/**
 * The transactions of a process. Those of creations share commits, because each commit waits for the disk: creations per second are
 * 0.4 of those of Fastify with `pg` if each commits alone, and more than those of Fastify if they share.
 *
 * The rule: creations that begin in one turn of the event loop, or while two groups run, send their INSERTs on one connection without
 * waiting for each other, and one COMMIT ends all. INSERTs of new rows take nothing from each other. A creation that begins with another
 * statement has not done anything yet, and runs again in a transaction of its own. So do all of a group if one of them fails later.
 */
export class Transactions {
  readonly #pools: ConnectionPools;
  readonly #context = new TransactionContext();
  readonly #waiting: Member[] = [];
  readonly #groups = new Set<Promise<void>>();
  /** Whether a group waits for a connection. Creations join it until it has one. */
  #isCollecting = false;

  constructor(pools: ConnectionPools) {
    this.#pools = pools;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs `work` in a transaction, which shares its commit if it is a creation. */
  async run<T>(work: Work<T>, isCreation: boolean): Promise<T> {
    this.#context.assertOutside();
    if (!isCreation) return this.runAlone(work);
    if (this.#waiting.length >= MAX_WAITING) {
      throw new StorageUnavailableError(new Error('Too many transactions wait for a connection to the database.'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<{ result: T } | undefined>();
    const { start, close } = this.#inScope(work);
    const run = async (send: Send) => {
      const result = await start(send);
      return () => resolve({ result });
    };
    this.#waiting.push({ run, close, runAlone: () => resolve(undefined), reject });
    this.#startGroup();
    const shared = await promise;
    return shared === undefined ? this.runAlone(work) : shared.result;
  }

  /** Runs `work` in a transaction of its own, and once more if it clashed with another one. */
  async runAlone<T>(work: Work<T>): Promise<T> {
    const attempt = () => {
      const { start } = this.#inScope(work);
      return this.#pools.write((connection) => runOn(connection, 'BEGIN', () => start(connection.send)));
    };
    try {
      return await attempt();
    } catch (error) {
      if (!isClash(causeOf(error))) throw error;
    }
    // Otherwise this attempt could take the lock that the other transaction waits for, and both would clash again.
    await setTimeout(CLASH_DELAY);
    return attempt();
  }

  async whenIdle(): Promise<void> {
    while (this.#groups.size > 0) await Promise.all(this.#groups);
  }

  /** Lets the work keep the async context of its caller, and refuses statements after its end. */
  #inScope<T>(work: Work<T>) {
    const scope = this.#context.openScope();
    async function start(send: Send): Promise<T> {
      const sendInside: Send = async (...query) => {
        scope.assertOpen();
        return send(...query);
      };
      try {
        return await scope.run(() => work(sendInside));
      } finally {
        scope.close();
      }
    }
    return { start, close: scope.close };
  }

  #startGroup(): void {
    if (this.#isCollecting || this.#waiting.length === 0 || this.#groups.size >= MAX_GROUPS) return;
    this.#isCollecting = true;
    const group = this.#runGroup().finally(() => {
      this.#groups.delete(group);
      this.#startGroup();
    });
    this.#groups.add(group);
  }

  async #runGroup(): Promise<void> {
    let isTaken = false;
    const take = (count: number) => {
      isTaken = true;
      this.#isCollecting = false;
      return this.#waiting.splice(0, count);
    };
    try {
      await this.#pools.write(async (connection) => {
        const members = take(GROUP_SIZE);
        this.#startGroup();
        await runGroup(connection, members);
      });
    } catch (error) {
      // Those that were taken have their outcome.
      if (!isTaken) for (const { reject } of take(Number.POSITIVE_INFINITY)) reject(error);
    }
  }
}

async function runGroup(connection: Connection, members: readonly Member[]): Promise<void> {
  const pending = new Set(members);
  try {
    const reports = await runOn(connection, BEGIN_GROUP, () => runMembers(connection, pending));
    for (const report of reports) report();
  } catch (error) {
    // If the group was only undone, each may succeed on its own.
    const isUndone = connection.isUsable && !(error instanceof OutcomeUnknownError);
    for (const { runAlone, reject } of pending) isUndone || isClash(causeOf(error)) ? runAlone() : reject(error);
  }
}

/** Takes the members from `pending` that sent nothing and failed. Rejects if the group must be undone. */
async function runMembers(connection: Connection, pending: Set<Member>): Promise<(() => void)[]> {
  const attempts = [...pending].map(async (member) => {
    let isSent = false;
    let refusal: NotSharedError | undefined;
    const send: Send = async (...query) => {
      if (!query[0].text.startsWith('INSERT '))
        refusal = new NotSharedError('A creation of a group sends only INSERTs.');
      if (refusal !== undefined) throw refusal;
      isSent = true;
      return connection.send(...query);
    };
    try {
      const report = await withTimeout(member.run(send), WORK_MS);
      // The work may have caught the error.
      if (refusal !== undefined) throw refusal;
      return [report];
    } catch (error) {
      member.close();
      if (isSent || error instanceof TimeoutError) throw error;
      pending.delete(member);
      if (error instanceof NotSharedError) member.runAlone();
      else member.reject(error);
      return [];
    }
  });
  await Promise.allSettled(attempts);
  return (await Promise.all(attempts)).flat();
}

async function runOn<T>(connection: Connection, begin: string, work: () => Promise<T>): Promise<T> {
  // Not awaited: it travels with the first statement, which fails if this fails.
  connection.command(begin).catch(() => {});
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // If the ROLLBACK fails as well, the connection is closed, and the engine rolls back.
    await connection.command('ROLLBACK').catch(() => {});
    throw error;
  }
  await commit(connection);
  return result;
}

async function commit(connection: Connection): Promise<void> {
  let done: string;
  try {
    done = await connection.command('COMMIT');
  } catch (error) {
    const cause = causeOf(error) ?? error;
    // If the engine reported the error itself, nothing was committed.
    throw isAnswer(cause) ? error : new OutcomeUnknownError(cause);
  }
  // If the work caught the error of a statement, the engine has rolled back, and reports that only here.
  if (done !== 'COMMIT') throw new StorageUnavailableError(new Error('The engine undid the transaction.'));
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
