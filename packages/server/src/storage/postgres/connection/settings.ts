import type { PoolConfig } from 'pg';

/** Connections of one process, unless the URL says otherwise: ten processes fit into the 100 that a server has at first. */
const POOL_SIZE = 8;
const LARGEST_POOL = 1_000;

/** Milliseconds. Together less than 2 seconds: so soon a caller is told when the engine is away. */
export const timeouts = {
  /** Until a connection is made and signed in. */
  connect: 750,
  /**
   * For one statement with its waiting for locks, as the engine counts. More than the second after which it looks
   * whether two transactions wait for each other.
   */
  statement: 1_100,
  /** Until the answer to a statement is here, however dead the line is. */
  answer: 1_150,
} as const;

/** Rows that are changed in one go, at most: so none of them waits long. */
export const CHUNK = 1_000;

const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** What is wrong with a URL of PostgreSQL, as one sentence; undefined when it can be tried. */
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

/** How the driver is to connect. */
export function poolConfig(databaseUrl: string): PoolConfig & { max: number } {
  const url = new URL(databaseUrl);
  const max = Number(url.searchParams.get('pool_size') ?? POOL_SIZE);
  url.searchParams.delete('pool_size');
  // The driver takes these for the same, and warns that it will not for ever.
  if (/^(prefer|require|verify-ca)$/.test(url.searchParams.get('sslmode') ?? '')) {
    url.searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: url.href,
    application_name: 'animal-store',
    max,
    connectionTimeoutMillis: timeouts.connect,
    statement_timeout: timeouts.statement,
    // Whoever died in a transaction must not keep its locks.
    idle_in_transaction_session_timeout: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  };
}

/** The URL without who signs in and how: for messages and logs. */
export function withoutCredentials(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  return url === null ? 'postgres://…' : `postgres://${url.host}${url.pathname}`;
}
