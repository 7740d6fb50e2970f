/** Returns the time as Unix milliseconds. Code that depends on time takes a clock, so that tests can set it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** In milliseconds. */
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** The number of the minute since the Unix epoch. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE);
}

export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}

/** How long this server waits for its parts unless a setting says otherwise, in milliseconds, from the shortest to the longest. */
export const timeouts = {
  /** For shared counters to count a request, unless COUNTERS_TIMEOUT_MS says otherwise. */
  count: 500,
  /** For the whole readiness probe. Orchestrators allow a second or more for it. */
  probe: 1_000,
  /**
   * For one statement and its wait for locks, by PostgreSQL's clock (DATABASE_STATEMENT_MS). Longer than its deadlock_timeout (1,000), so
   * that a deadlock is reported as such.
   */
  statement: 1_100,
  /** For a connection to PostgreSQL to open or to become free (DATABASE_WAIT_MS). Longer than one statement that times out. */
  wait: 2_000,
  /** For an attempt to connect to PostgreSQL and sign in (DATABASE_CONNECT_MS). A request does not wait for it longer than `wait`. */
  connect: 5_000,
  /** For an idle transaction, such as one of a process that has ended: it must not hold its locks for long. */
  idleInTransaction: 5_000,
  /** For locks at start: another process may be changing the tables. */
  setUpLock: 60_000,
  /** For reading a whole table, at start or for an operator. */
  wholeTable: 60_000,
} as const;

export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** Resolves as `promise` does, or rejects with a TimeoutError after `timeoutMs`. */
export function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // Read pending input first: the answer may have arrived while this process was busy.
    const late = () => setImmediate(() => reject(new TimeoutError(`No answer within ${timeoutMs} ms.`)));
    const timer = setTimeout(late, timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
