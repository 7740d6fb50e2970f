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

/** The number of the UTC day. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}

/**
 * How long this server waits for its parts, in milliseconds, from the shortest timeout to the longest. Each is shorter than the
 * ones that contain it, so that the error that arrives names the part that is slow. If a part is unavailable, a caller gets an
 * error within two seconds: after counting and one answer, or after connecting and one answer. docs/operate/postgresql.md has this table.
 */
export const timeouts = {
  /** For shared counters to count a request, unless COUNTERS_TIMEOUT_MS says otherwise. */
  count: 500,
  /** For connecting to PostgreSQL and signing in: 4 round trips, or 6 with TLS, so 480 at 40 ms each way. */
  connect: 600,
  /** For the whole readiness probe. Orchestrators allow a second or more for it. */
  probe: 1_000,
  /**
   * For one statement and its wait for locks, by PostgreSQL's clock. Longer than its deadlock_timeout (1,000), so that a
   * deadlock is reported as such. If one row is locked, only the statements that wait for it fail.
   */
  statement: 1_100,
  /** For the answer to a statement: 250 more than `statement`, for the network and a busy process. */
  answer: 1_350,
  /** For a connection to PostgreSQL to become free, while others are answered. Longer than several statements that time out. */
  freeConnection: 5_000,
  /** For an idle transaction, such as one of a process that has ended: it must not hold its locks for long. */
  idleInTransaction: 5_000,
  /** For connecting at start: a first connection is slow. */
  setUpConnect: 5_000,
  /** For locks at start: another process may be changing the tables. */
  setUpLock: 60_000,
  /** For reading a whole table, at start or for an operator. */
  wholeTable: 60_000,
} as const;

/** An answer did not arrive in time. */
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
