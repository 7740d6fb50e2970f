import { defaultDatabaseUrl, memoryDatabaseUrl } from '../storage/open.ts';
import {
  integerBetween,
  oneOf,
  parseBoolean,
  parseDatabaseUrl,
  parseHost,
  parseOrigin,
  parseRedisUrl,
  parseTrustProxy,
  parseWorkers,
  type Reading,
  type TrustProxy,
} from './settings.ts';

/** How the server runs. Read from the environment once, at start; see docs/operate.md. */
export type Config = Readonly<{
  production: boolean;
  host: string;
  port: number;
  /** Processes that share the port. */
  workers: number;
  databaseUrl: string;
  /** Redis or Valkey, where all processes count together; undefined when this process counts by itself. */
  redisUrl: string | undefined;
  /** Milliseconds that a request waits for it at most. */
  redisTimeout: number;
  /** Where callers reach the server, when links cannot be taken from the Host header. */
  publicUrl: string | undefined;
  /** Whose X-Forwarded-* headers count: nobody's (false), a number of hops, or addresses. */
  trustProxy: TrustProxy;
  /** Whether responses are held against the contract before they are sent. */
  validateResponses: boolean;
  logLevel: string;
  /** Connections at once; new ones beyond are refused. */
  maxConnections: number;
  /** Where Prometheus finds the metrics; undefined when they are off. */
  metrics: { host: string; port: number } | undefined;
  /** Milliseconds after a stop signal in which new connections are still taken, while /readyz says 503. */
  drainDelay: number;
  /** Milliseconds that requests under way have to end after a stop signal. */
  drainDeadline: number;
}>;

/** Every setting that is wrong, each in one sentence. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: string[];
  constructor(problems: string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration that the environment says.
 * @throws ConfigError that names every problem at once
 */
export function readConfig(environment: Environment): Config {
  const problems: string[] = [];
  const read = <T>(name: string, fallback: T, parse: (text: string) => Reading<T>): T => {
    const text = environment[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const reading = parse(text);
    if ('value' in reading) return reading.value;
    // These may hold a password, so they are not repeated.
    const isSecret = name === 'DATABASE_URL' || name === 'REDIS_URL';
    const verdict = isSecret ? 'not usable.' : `${JSON.stringify(text)};`;
    problems.push(`${name} is ${verdict} ${reading.problem}`);
    return fallback;
  };

  const production = read('NODE_ENV', 'development', oneOf(['production', 'development', 'test'])) === 'production';
  const port = read('PORT', 3000, integerBetween(0, 65_535));
  const metricsPort = read<number | undefined>('METRICS_PORT', undefined, integerBetween(0, 65_535));
  const metricsHost = read('METRICS_HOST', '127.0.0.1', parseHost);
  if (metricsPort === port && port !== 0) problems.push(`METRICS_PORT is ${port}; it must be another one than PORT.`);
  const databaseUrl = read('DATABASE_URL', defaultDatabaseUrl, parseDatabaseUrl);
  const workers = read('WORKERS', 1, parseWorkers);
  if (workers > 1 && databaseUrl === memoryDatabaseUrl) {
    problems.push(`WORKERS is ${workers}; a database in memory belongs to one process. Set DATABASE_URL to a file.`);
  }
  const config: Config = {
    production,
    host: read('HOST', '127.0.0.1', parseHost),
    port,
    workers,
    databaseUrl,
    redisUrl: read<string | undefined>('REDIS_URL', undefined, parseRedisUrl),
    redisTimeout: read('REDIS_TIMEOUT_MS', 100, integerBetween(1, 60_000)),
    publicUrl: read<string | undefined>('PUBLIC_URL', undefined, parseOrigin),
    trustProxy: read<TrustProxy>('TRUST_PROXY', false, parseTrustProxy),
    validateResponses: read('VALIDATE_RESPONSES', !production, parseBoolean),
    maxConnections: read('MAX_CONNECTIONS', 10_000, integerBetween(1, 1_000_000)),
    metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
    logLevel: read('LOG_LEVEL', production ? 'info' : 'warn', oneOf(logLevels)),
    drainDelay: read('DRAIN_DELAY_SECONDS', 0, integerBetween(0, 3_600)) * 1_000,
    drainDeadline: read('DRAIN_SECONDS', 10, integerBetween(0, 3_600)) * 1_000,
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
