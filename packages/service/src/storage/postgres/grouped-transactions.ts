import { StorageUnavailableError } from '../storage.ts';
import type { Send } from '../store-definition.ts';
import type { TransactionContext } from '../transaction-context.ts';
import type { Connection } from './connection.ts';
import { isClash, LOCK_TIMEOUT, sqlState } from './errors.ts';
import { tooManyWait } from './semaphore.ts';

type Work<T> = (send: Send) => Promise<T>;

type Parts = {
  use: (call: (connection: Connection) => Promise<void>) => Promise<void>;
  context: TransactionContext;
  commit: (connection: Connection) => Promise<void>;
  /** Runs a transaction that shares nothing. */
  alone: <T>(work: Work<T>) => Promise<T>;
};

/** Transactions in a row that must have sent a single statement before those of the same name share commits. */
const PROOF = 20;

/** Milliseconds after its statement within which the work of a transaction must end to share a commit. */
const PAUSE = 20;

/** Transactions that share a commit, at most. */
const GROUP_SIZE = 50;

/** While one group waits for the disk, another one collects. */
const MAX_GROUPS = 2;

/** Milliseconds for which all transactions run alone after a group was rolled back. */
const ALONE_AFTER_FAILURE = 500;

const MAX_WAITING = 1_000;

/** All transactions of a group wait for the lock that one of them waits for. */
const BEGIN = "BEGIN; SET LOCAL lock_timeout = '100ms'";

/** A transaction that waits for a group. `attempt` resolves to a function that reports success to its caller. */
type Member = {
  name: string;
  attempt: (connection: Connection) => Promise<() => void>;
  /** Runs it again, alone. */
  undo: () => void;
  reject: (error: unknown) => void;
};

/** The work of a transaction sent a second statement, or took long. */
class NotSingleError extends Error {}

/**
 * Lets transactions that send one statement, such as an INSERT, share a commit, because each commit waits for the disk. Which ones send one
 * is learned by their name. The statements of a group are sent without waiting for each other. If one transaction fails, all of the group
 * are rolled back, and each runs again on its own.
 */
export class GroupedTransactions {
  readonly #parts: Parts;
  /** How many transactions in a row sent one statement, by name. */
  readonly #singles = new Map<string, number>();
  readonly #waiting: Member[] = [];
  readonly #groups = new Set<Promise<void>>();
  #isCollecting = false;
  #aloneUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param name of transactions that do the same */
  async run<T>(name: string, work: Work<T>): Promise<T> {
    const canShare = performance.now() > this.#aloneUntil && (this.#singles.get(name) ?? 0) >= PROOF;
    const shared = canShare ? await this.#share(name, work) : undefined;
    return shared === undefined ? this.#runAlone(name, work) : shared.value;
  }

  /** Resolves when no group runs. */
  async whenIdle(): Promise<void> {
    while (this.#groups.size > 0) await Promise.all(this.#groups);
  }

  async #runAlone<T>(name: string, work: Work<T>): Promise<T> {
    let isSingle = false;
    try {
      return await this.#parts.alone(async (send) => {
        let sent = 0;
        let answeredAt = 0;
        const value = await work(async (...query) => {
          sent += 1;
          const answer = await send(...query);
          answeredAt = performance.now();
          return answer;
        });
        isSingle = sent === 1 && performance.now() - answeredAt < PAUSE;
        return value;
      });
    } catch (error) {
      isSingle = false;
      throw error;
    } finally {
      this.#singles.set(name, isSingle ? (this.#singles.get(name) ?? 0) + 1 : 0);
    }
  }

  /** Resolves to undefined if the transaction was rolled back and has to run alone. */
  #share<T>(name: string, work: Work<T>): Promise<{ value: T } | undefined> {
    if (this.#waiting.length >= MAX_WAITING) throw tooManyWait();
    const { promise, resolve, reject } = Promise.withResolvers<{ value: T } | undefined>();
    const attempt = async (connection: Connection) => {
      const value = await this.#runOn(connection, work);
      return () => resolve({ value });
    };
    this.#waiting.push({ name, attempt, undo: () => resolve(undefined), reject });
    this.#startGroup();
    return promise;
  }

  async #runOn<T>(connection: Connection, work: Work<T>): Promise<T> {
    const scope = this.#parts.context.openScope();
    let isSent = false;
    try {
      return await scope.run(() =>
        work(async (...query) => {
          scope.assertOpen();
          if (isSent) throw new NotSingleError('A transaction of a group sends one statement.');
          isSent = true;
          return connection.send(...query);
        }),
      );
    } finally {
      scope.close();
    }
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
    let members: Member[] = [];
    const take = (count: number) => {
      this.#isCollecting = false;
      members = this.#waiting.splice(0, count);
    };
    try {
      await this.#parts.use(async (connection) => {
        await connection.command(BEGIN);
        take(GROUP_SIZE);
        this.#startGroup();
        await this.#runMembers(connection, members);
      });
    } catch (error) {
      // Without a connection, those that wait now have failed, too.
      if (this.#isCollecting && members.length === 0) take(this.#waiting.length);
      for (const { reject } of members) reject(error);
    }
  }

  /** Commits all members, or rolls all of them back. Rejects if they must not run again. */
  async #runMembers(connection: Connection, members: Member[]): Promise<void> {
    const attempts = members.map(({ attempt }) => attempt(connection));
    const outcomes = await settleAll(attempts, connection);
    const failures = outcomes.map((outcome) => (isFirstFailure(outcome) ? (outcome.reason ?? 'nothing') : undefined));
    let error = failures.find((failure) => failure !== undefined);
    if (error === undefined) error = await this.#parts.commit(connection).catch((reason: unknown) => reason);
    else await connection.command('ROLLBACK').catch(() => {});
    if (error === undefined) {
      for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value();
      return;
    }
    this.#aloneUntil = performance.now() + ALONE_AFTER_FAILURE;
    for (const [index, { name }] of members.entries()) if (failures[index] !== undefined) this.#singles.set(name, 0);
    if (!mayRunAgain(error)) throw error;
    // What has not ended yet must not run twice at the same time.
    for (const [index, { undo }] of members.entries()) void attempts[index]?.then(undo, undo);
  }
}

type Outcome = PromiseSettledResult<() => void>;

/** Waits for the attempts. One that does not end a while after its statement was answered counts as failed. */
async function settleAll(attempts: Promise<() => void>[], connection: Connection): Promise<Outcome[]> {
  const slow = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    if (connection.inFlight === 0) slow.reject(new NotSingleError('A transaction of a group took long.'));
  }, PAUSE);
  try {
    return await Promise.allSettled(attempts.map((attempt) => Promise.race([attempt, slow.promise])));
  } finally {
    clearInterval(timer);
  }
}

/** Whether a transaction failed itself: after the first error, PostgreSQL refuses the other statements. */
function isFirstFailure(outcome: Outcome): outcome is PromiseRejectedResult {
  return outcome.status === 'rejected' && sqlState(outcome.reason) !== '25P02';
}

/** Whether the transactions of a group may succeed on their own. */
function mayRunAgain(error: unknown): boolean {
  if (!(error instanceof StorageUnavailableError)) return true;
  return isClash(error.cause) || sqlState(error.cause) === LOCK_TIMEOUT;
}
