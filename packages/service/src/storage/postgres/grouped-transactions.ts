import { OutcomeUnknownError, StorageUnavailableError } from '../storage.ts';
import type { Send } from '../store-definition.ts';
import type { TransactionContext } from '../transaction-context.ts';
import type { Connection } from './connection.ts';
import { DISK_FULL, isAnswer, isClash, LOCK_TIMEOUT, sqlState, UndoneError } from './errors.ts';
import { MAX_WAITING, tooManyWait } from './semaphore.ts';

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

/** Milliseconds after the last answer within which the work of a transaction must end to share a commit. */
const PAUSE = 20;

/** Transactions that share a commit, at most. */
const GROUP_SIZE = 50;

/** While one group waits for the disk, another one collects. */
const MAX_GROUPS = 2;

/** Milliseconds for which transactions of a name run alone after one of them failed. */
const ALONE_AFTER_FAILURE = 500;

/** All transactions of a group wait for the lock that one of them waits for. */
const BEGIN = "BEGIN; SET LOCAL lock_timeout = '100ms'";

/** Transactions that run together. Once it is over, none of them may send anything. */
type Group = { connection: Connection; isOver: boolean };

/** A transaction that waits for a group. */
type Member = {
  name: string;
  /** By `performance.now()`. */
  since: number;
  /** Resolves to a function that reports success to the caller. */
  attempt: (group: Group) => Promise<() => void>;
  /** Whether the attempt has sent its statement. */
  isSent: boolean;
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
  /** When transactions of a name may share commits again, by `performance.now()`. */
  readonly #aloneUntil = new Map<string, number>();
  #isCollecting = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Rejects the transactions that wait for a group, because the engine is away. */
  refuseWaiting(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** @param name of transactions that do the same */
  async run<T>(name: string, work: Work<T>): Promise<T> {
    const isProven = (this.#singles.get(name) ?? 0) >= PROOF;
    const canShare = isProven && performance.now() > (this.#aloneUntil.get(name) ?? 0);
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
    // The scope keeps the async context of the caller, not that of the request that starts the group.
    const scope = this.#parts.context.openScope();
    let isViolated = false;
    const attempt = async (group: Group) => {
      const value = await scope
        .run(() =>
          work(async (...query) => {
            scope.assertOpen();
            isViolated ||= member.isSent || group.isOver;
            if (isViolated) throw new NotSingleError('A transaction of a group sends one statement.');
            member.isSent = true;
            return group.connection.send(...query);
          }),
        )
        .finally(() => scope.close());
      // The work may have caught the error.
      if (isViolated) throw new NotSingleError('A transaction of a group sent two statements.');
      return () => resolve({ value });
    };
    const since = performance.now();
    const member: Member = { name, since, attempt, isSent: false, undo: () => resolve(undefined), reject };
    this.#waiting.push(member);
    this.#startGroup();
    return promise;
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
    const startedAt = performance.now();
    let members: Member[] | undefined;
    const take = (count: number) => {
      this.#isCollecting = false;
      members = this.#waiting.splice(0, count);
      return members;
    };
    try {
      await this.#parts.use(async (connection) => {
        await connection.command(BEGIN);
        const taken = take(GROUP_SIZE);
        this.#startGroup();
        await this.#runMembers({ connection, isOver: false }, taken);
      });
    } catch (error) {
      if (members === undefined) {
        // Those that came later have not waited long, and may find another connection.
        for (const { since, undo, reject } of take(this.#waiting.length)) since > startedAt ? undo() : reject(error);
      } else for (const { reject } of members) reject(error);
    }
  }

  /** Commits all members, or rolls all of them back. Rejects if no other error of them is known. */
  async #runMembers(group: Group, members: Member[]): Promise<void> {
    const attempts = members.map(({ attempt }) => attempt(group));
    const outcomes = await settleAll(attempts, group.connection);
    group.isOver = true;
    const failures = outcomes.map((outcome, index) =>
      members[index]?.isSent !== false && isFirstFailure(outcome) ? (outcome.reason ?? 'nothing') : undefined,
    );
    const isFailed = failures.some((failure) => failure !== undefined);
    const error: unknown = isFailed ? undefined : await this.#parts.commit(group.connection).catch((reason) => reason);
    if (isFailed) await group.connection.command('ROLLBACK').catch(() => {});
    if (error !== undefined && !isUndone(error)) throw error;
    for (const [index, member] of members.entries()) {
      const outcome = outcomes[index];
      const failure = failures[index] ?? error;
      if (failure !== undefined) this.#keepAlone(member.name);
      // What sent nothing has changed nothing, and what has not ended must not run twice at the same time.
      if (!member.isSent && outcome?.status === 'rejected') this.#endUnsent(member, outcome.reason, attempts[index]);
      else if (failure === undefined && !isFailed && outcome?.status === 'fulfilled') outcome.value();
      else if (isFinal(failures[index])) member.reject(failures[index]);
      else void attempts[index]?.then(member.undo, member.undo);
    }
  }

  #endUnsent({ name, undo, reject }: Member, reason: unknown, attempt: Promise<unknown> | undefined): void {
    if (!(reason instanceof NotSingleError)) reject(reason);
    else {
      this.#keepAlone(name);
      void attempt?.then(undo, undo);
    }
  }

  #keepAlone(name: string): void {
    this.#singles.set(name, 0);
    this.#aloneUntil.set(name, performance.now() + ALONE_AFTER_FAILURE);
  }
}

type Outcome = PromiseSettledResult<() => void>;

/** Waits for the attempts. One that does not end a while after the last answer counts as failed. */
async function settleAll(attempts: Promise<() => void>[], connection: Connection): Promise<Outcome[]> {
  const slow = Promise.withResolvers<never>();
  let wasIdle = false;
  const timer = setInterval(() => {
    const isIdle = connection.inFlight === 0;
    if (wasIdle && isIdle) slow.reject(new NotSingleError('A transaction of a group took long.'));
    wasIdle = isIdle;
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

/** Whether a failed commit has certainly stored nothing, and the transactions may succeed on their own. */
function isUndone(error: unknown): boolean {
  if (error instanceof OutcomeUnknownError) return false;
  if (!(error instanceof StorageUnavailableError)) return true;
  return error instanceof UndoneError || (isAnswer(error.cause) && sqlState(error.cause) !== DISK_FULL);
}

/** Whether a transaction would fail again, and its caller has waited for that already. */
function isFinal(failure: unknown): boolean {
  if (!(failure instanceof StorageUnavailableError)) return false;
  return !isClash(failure.cause) && sqlState(failure.cause) !== LOCK_TIMEOUT;
}
