import type { PoolConfig } from 'pg';
import { timeouts } from '../../common/time.ts';

/** Connections of a process, unless the URL says otherwise: ten processes fit into the 100 of PostgreSQL's default. */
const POOL_SIZE = 8;
const LARGEST_POOL = 1_000;

const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** Why a URL of PostgreSQL is not valid, in one sentence; undefined for a valid one. */
export function postgresUrlProblem(text: string): string | undefined {
  const urls = urlsOf(text).map((url) => URL.parse(url));
  const [url] = urls;
  // Every host of several needs a name.
  const isComplete = urls.length === 1 || urls.every((one) => one !== null && one.host !== '');
  if (!url || !isComplete || !/^postgres(ql)?:\/\//.test(text)) return 'The database URL is not valid.';
  if (!canDecode(url.username) || !canDecode(url.password) || !canDecode(url.pathname)) {
    return 'The database URL contains a % that is not part of an escape. Write %25 instead.';
  }
  if (url.pathname.length < 2) return 'The database URL does not name a database.';
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) return `sslmode in the database URL must be ${SSL_MODES.join(', ')}.`;
  const size = url.searchParams.get('pool_size');
  if (size !== null && !(/^[1-9][0-9]*$/.test(size) && Number(size) <= LARGEST_POOL)) {
    return `pool_size in the database URL must be a whole number from 1 to ${LARGEST_POOL}.`;
  }
  if (!['true', 'false', null].includes(url.searchParams.get('pgbouncer'))) {
    return 'pgbouncer in the database URL must be true or false.';
  }
  return hostsProblem(url);
}

/** What libpq has for several hosts, and does not work here. */
function hostsProblem({ searchParams }: URL): string | undefined {
  const wanted = searchParams.get('target_session_attrs');
  if (wanted !== null && !WRITABLE.includes(wanted)) {
    return `target_session_attrs in the database URL must be ${WRITABLE.join(' or ')}.`;
  }
  const isList = /,/.test(searchParams.get('host') ?? '');
  const ignored = ['load_balance_hosts', 'hostaddr'].find((name) => searchParams.has(name));
  if (!isList && ignored === undefined) return undefined;
  const what = ignored === undefined ? 'A list in the parameter host' : `${ignored} in the database URL`;
  return `${what} has no effect here. Write several hosts as postgres://USER:PASSWORD@HOST,HOST/DATABASE.`;
}

/** Values of target_session_attrs. With several hosts, the server looks for the primary one in any case. */
const WRITABLE = ['read-write', 'primary'];

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the URL leads through PgBouncer in transaction mode. A connection of the driver is then another one of the server in
 * each transaction, so nothing may be set on a connection, and no statement may be prepared under a name.
 */
export function isPooled(databaseUrl: string): boolean {
  return URL.parse(urlsOf(databaseUrl)[0] ?? '')?.searchParams.get('pgbouncer') === 'true';
}

/** The settings of the driver. `service` is the name that PostgreSQL shows for its connections. */
export function poolConfig(databaseUrl: string, service: string): PoolConfig & { max: number } {
  const url = new URL(databaseUrl);
  const max = Number(url.searchParams.get('pool_size') ?? POOL_SIZE);
  url.searchParams.delete('pool_size');
  url.searchParams.delete('pgbouncer');
  url.searchParams.delete('target_session_attrs');
  // The driver treats these as the same, and warns that a later version will not.
  if (/^(prefer|require|verify-ca)$/.test(url.searchParams.get('sslmode') ?? '')) {
    url.searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: url.href,
    application_name: service,
    max,
    // A process that keeps one can serve calls when the server takes no more connections.
    min: 1,
    connectionTimeoutMillis: timeouts.connect,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    ...(isPooled(databaseUrl) ? {} : sessionTimeouts()),
  };
}

/** Set when a connection begins. PgBouncer refuses or drops them; with it they belong to the user (see `assertUsable`). */
function sessionTimeouts() {
  return {
    statement_timeout: timeouts.statement,
    idle_in_transaction_session_timeout: timeouts.idleInTransaction,
  };
}

/** The URL without user and password, for messages and logs. */
export function withoutCredentials(databaseUrl: string): string {
  const urls = urlsOf(databaseUrl).map((url) => URL.parse(url));
  const hosts = urls.map((url) => url?.host ?? '…').join(',');
  return `postgres://${hosts}${urls[0]?.pathname ?? ''}`;
}

/** A URL of PostgreSQL: what precedes the hosts, the hosts, and what follows. The user and the password may contain commas. */
const parts = /^(?<before>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#]*)(?<after>.*)$/s;

/** One URL for each host of a database URL. */
export function urlsOf(databaseUrl: string): string[] {
  const { before = '', hosts = '', after = '' } = parts.exec(databaseUrl)?.groups ?? {};
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** The hosts of one database. One of them is its primary server, which may change. */
export class Hosts {
  readonly urls: readonly string[];
  #current = 0;

  constructor(databaseUrl: string) {
    this.urls = urlsOf(databaseUrl);
  }

  /** The URL of the host that is taken for the primary server. */
  get current(): string {
    return this.urls[this.#current] ?? '';
  }

  get areSeveral(): boolean {
    return this.urls.length > 1;
  }

  /** Takes the next host for the primary server, unless another call has left `url` already. */
  leave(url: string): void {
    if (url === this.current) this.#current = (this.#current + 1) % this.urls.length;
  }
}
