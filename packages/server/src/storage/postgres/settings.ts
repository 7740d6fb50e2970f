import type { PoolConfig } from 'pg';

/** Connections of a process, unless the URL says otherwise: ten processes fit into the 100 of PostgreSQL's default. */
const POOL_SIZE = 8;
const LARGEST_POOL = 1_000;

/**
 * Milliseconds, from the shortest timeout to the longest. If the engine is unavailable, a caller gets an error within two
 * seconds: after counting and one answer, or after connecting and one answer. If one row is locked, only the statements that
 * wait for it fail, by the engine's own timeout. That error must arrive before `answer`, even over a slow network.
 */
export const timeouts = {
  /** For the answer to counting, which each request waits for. Excludes the wait for a connection. */
  count: 500,
  /** For connecting and signing in: 4 round trips, or 6 with TLS, so 480 at 40 ms each way. */
  connect: 600,
  /**
   * For one statement and its wait for locks, by the engine's clock. Longer than its deadlock_timeout (1,000), so that a
   * deadlock is reported as such.
   */
  statement: 1_100,
  /** For the answer to a statement: 250 more than `statement`, for the network and a busy process. */
  answer: 1_350,
  /** For an idle transaction, such as one of a process that has ended: it must not hold its locks for long. */
  idleInTransaction: 5_000,
  /** For a connection to become free, while the engine answers other calls. */
  freeConnection: 10_000,
  /** At start another process may be changing the tables, and a first connection is slow. */
  setUpConnect: 5_000,
  setUpLock: 60_000,
  /** For reading a whole table, at start or for an operator. */
  wholeTable: 60_000,
} as const;

/** Rows that one statement of maintenance changes, at most, so that their locks are short. */
export const CHUNK = 1_000;

const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** Why a URL of PostgreSQL is not valid, in one sentence; undefined for a valid one. */
export function postgresUrlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:\/\//.test(text)) return 'The database URL cannot be read.';
  if (!canDecode(url.username) || !canDecode(url.password) || !canDecode(url.pathname)) {
    return 'The database URL has a % that is no escape; write %25 for it.';
  }
  if (url.pathname.length < 2) return 'The database URL names no database.';
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) return `sslmode in the database URL must be ${SSL_MODES.join(', ')}.`;
  const size = url.searchParams.get('pool_size');
  if (size !== null && !(/^[1-9][0-9]*$/.test(size) && Number(size) <= LARGEST_POOL)) {
    return `pool_size in the database URL must be a whole number from 1 to ${LARGEST_POOL}.`;
  }
  return undefined;
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The settings of the driver. */
export function poolConfig(databaseUrl: string): PoolConfig & { max: number } {
  const url = new URL(databaseUrl);
  const max = Number(url.searchParams.get('pool_size') ?? POOL_SIZE);
  url.searchParams.delete('pool_size');
  // The driver treats these as the same, and warns that a later version will not.
  if (/^(prefer|require|verify-ca)$/.test(url.searchParams.get('sslmode') ?? '')) {
    url.searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: url.href,
    application_name: 'animal-store',
    max,
    connectionTimeoutMillis: timeouts.connect,
    statement_timeout: timeouts.statement,
    idle_in_transaction_session_timeout: timeouts.idleInTransaction,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  };
}

/** The URL without user and password, for messages and logs. */
export function withoutCredentials(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  return url === null ? 'postgres://…' : `postgres://${url.host}${url.pathname}`;
}
