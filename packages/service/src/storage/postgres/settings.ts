import type { PoolConfig } from 'pg';
import { timeouts } from '../../common/time.ts';

/** Connections of a process, unless the URL says otherwise: ten processes fit into the 100 of PostgreSQL's default. */
const POOL_SIZE = 8;
const SMALLEST_POOL = 2;
const LARGEST_POOL = 1_000;

/** How long this process waits for PostgreSQL, in milliseconds; see docs/operate/configuration.md. */
export type DatabaseLimits = {
  connectMs: number;
  /** For one statement and its wait for locks, by PostgreSQL's clock. */
  statementMs: number;
  /** For a connection to become free, or to open. */
  waitMs: number;
};

export function defaultLimits(): DatabaseLimits {
  return { connectMs: timeouts.connect, statementMs: timeouts.statement, waitMs: timeouts.wait };
}

/** The wait for the answer to a statement: longer than its limit, for the network and a busy process. */
export function answerMs({ statementMs }: DatabaseLimits): number {
  return statementMs + 250;
}

const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** Why a URL of PostgreSQL is not valid, in one sentence; undefined for a valid one. */
export function postgresUrlProblem(text: string): string | undefined {
  if (severalHosts.test(text)) return `The database URL has several hosts. ${ONE_HOST}`;
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:\/\//.test(text)) return 'The database URL is not valid.';
  if (!canDecode(url.username) || !canDecode(url.password) || !canDecode(url.pathname)) {
    return 'The database URL contains a % that is not part of an escape. Write %25 instead.';
  }
  if (url.pathname.length < 2) return 'The database URL does not name a database.';
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) return `sslmode in the database URL must be ${SSL_MODES.join(', ')}.`;
  const size = url.searchParams.get('pool_size');
  if (size !== null && !(/^[0-9]+$/.test(size) && Number(size) >= SMALLEST_POOL && Number(size) <= LARGEST_POOL)) {
    return `pool_size in the database URL must be a whole number from ${SMALLEST_POOL} to ${LARGEST_POOL}.`;
  }
  return hostsProblem(url);
}

/** A comma after the user and the password, if there are any. */
const severalHosts = /^postgres(?:ql)?:\/\/(?:[^/?#]*@|(?![^/?#]*@))[^/?#]*,/;
const ONE_HOST = 'Use one host: that of the primary server, or a virtual address that leads to it.';

/** The driver supports one host and ignores the options that libpq has for several. */
function hostsProblem({ searchParams }: URL): string | undefined {
  if (/,/.test(searchParams.get('host') ?? '')) return `The database URL has several hosts. ${ONE_HOST}`;
  const ignored = ['target_session_attrs', 'load_balance_hosts', 'hostaddr'].find((name) => searchParams.has(name));
  return ignored && `${ignored} in the database URL is not supported. ${ONE_HOST}`;
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function poolSizes(databaseUrl: string): { readers: number; writers: number } {
  const size = Number(new URL(databaseUrl).searchParams.get('pool_size') ?? POOL_SIZE);
  const writers = Math.floor(size / 2);
  return { readers: size - writers, writers };
}

/** The settings of the driver. `service` is the name that PostgreSQL shows for its connections. */
export function poolConfig(databaseUrl: string, service: string, limits: DatabaseLimits): PoolConfig {
  const url = new URL(databaseUrl);
  url.searchParams.delete('pool_size');
  // The driver treats these as the same, and warns that a later version will not.
  if (/^(prefer|require|verify-ca)$/.test(url.searchParams.get('sslmode') ?? '')) {
    url.searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: url.href,
    application_name: service,
    // A process that keeps one can serve calls when the server takes no more connections.
    min: 1,
    connectionTimeoutMillis: limits.connectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: timeouts.idleInTransaction,
  };
}

/** A URL without user, password and query. */
export function withoutCredentials(text: string): string {
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}
