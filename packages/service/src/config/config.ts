import { isIP } from 'node:net';
import { timeouts } from '../common/time.ts';
import { databaseUrlProblem, defaultDatabaseUrl } from '../storage/open.ts';

/** The server's settings, read from the environment once at start; see docs/operate/configuration.md. */
export type Config = ReturnType<typeof readConfig>;

/** Lists every invalid setting, each in one sentence. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: string[];
  constructor(problems: string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** The error of an import; a ConfigError with a message if it failed because a package is not installed. */
export function importError(error: unknown, message: string): unknown {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  return isMissing ? new ConfigError([message]) : error;
}

/** Settings of earlier releases, and what to do instead. */
export const removedSettings: Readonly<Record<string, string>> = {
  WORKERS:
    'To use more cores, start several servers on one PostgreSQL (DATABASE_URL=postgres://…), each with its own PORT.',
  REDIS_TIMEOUT_MS: 'Set COUNTERS_TIMEOUT_MS instead.',
  ...Object.fromEntries(
    ['KEY_REQUEST_URL', 'SUPPORT_URL', 'STATUS_URL', 'TERMS_URL'].map((name) => [
      name,
      'The docs link to what info.contact and info.termsOfService in openapi.yaml name.',
    ]),
  ),
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param service the name of the store, which the default database and the telemetry have, too
 * @throws ConfigError that names every problem at once
 */
export function readConfig(environment: Environment, service = 'service') {
  const problems = Object.entries(removedSettings).flatMap(([name, advice]) =>
    (environment[name]?.trim() ?? '') === '' ? [] : [`${name} is no longer a setting. ${advice}`],
  );
  const read = <T extends Value, Fallback extends Value | undefined>(
    name: string,
    fallback: Fallback,
    parse: Parse<T>,
  ): T | Fallback => {
    const text = environment[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const reading = parse(text);
    if ('value' in reading) return reading.value;
    // These settings may contain a password, so the message does not repeat their values.
    const isSecret = ['DATABASE_URL', 'REDIS_URL'].includes(name);
    const verdict = isSecret ? 'not usable.' : `${JSON.stringify(text)};`;
    problems.push(`${name} is ${verdict} ${reading.problem}`);
    return fallback;
  };

  const environmentName = read('NODE_ENV', 'development', oneOf(['production', 'development', 'test']));
  const production = environmentName === 'production';
  const mode = read('API_MODE', production ? 'live' : 'test', oneOf(['live', 'test']));
  const port = read('PORT', 3000, integerBetween(0, 65_535));
  const metricsPort = read('METRICS_PORT', undefined, integerBetween(0, 65_535));
  const metricsHost = read('METRICS_HOST', '127.0.0.1', host);
  if (metricsPort === port && port !== 0) problems.push(`METRICS_PORT is ${port}; it must differ from PORT.`);
  const databaseUrl = read('DATABASE_URL', defaultDatabaseUrl(service), parseDatabaseUrl);
  if (production && (environment['DATABASE_URL']?.trim() ?? '') === '') {
    problems.push(`DATABASE_URL is missing, and production has no default. Set it to postgres://… or sqlite:PATH.`);
  }
  const sandboxes = read('SANDBOXES', false, parseBoolean);
  if (sandboxes && mode === 'live') {
    problems.push(
      'SANDBOXES is on, but API_MODE is live. Only test servers have sandboxes: set API_MODE=test, or SANDBOXES=off.',
    );
  }
  const telemetryEndpoints = ['', '_TRACES', '_METRICS'].map((signal) =>
    read(`OTEL_EXPORTER_OTLP${signal}_ENDPOINT`, undefined, httpUrl),
  );
  const isTelemetryDisabled = read('OTEL_SDK_DISABLED', false, parseBoolean);
  const isTelemetryOn = telemetryEndpoints.some((endpoint) => endpoint !== undefined) && !isTelemetryDisabled;
  const serviceName = read('OTEL_SERVICE_NAME', service, (text) => ({ value: text }));
  const config = Object.freeze({
    production,
    /** Whether NODE_ENV is `development`, on a test server: it adds seed data. */
    development: environmentName === 'development' && mode === 'test',
    /** Whether the server has live data or is for testing. It accepts only keys of its mode. */
    mode,
    host: read('HOST', '127.0.0.1', host),
    port,
    databaseUrl,
    /** Whether the server brings the tables up to date at its start, or refuses a database that is not (`npm run migrate`). */
    migrate: read('MIGRATE', 'on-start', oneOf(['on-start', 'never'])),
    databaseLimits: {
      connectMs: read('DATABASE_CONNECT_MS', timeouts.connect, integerBetween(1, 600_000)),
      statementMs: read('DATABASE_STATEMENT_MS', timeouts.statement, integerBetween(1, 600_000)),
      waitMs: read('DATABASE_WAIT_MS', timeouts.wait, integerBetween(1, 600_000)),
    },
    /** Whether each key has data, quotas and a clock of its own, in the memory of this process. */
    sandboxes,
    /** The Redis or Valkey with the counters of all processes; undefined if there is none. */
    redisUrl: read('REDIS_URL', undefined, redisUrl),
    /** The longest that a request waits for shared counters, in milliseconds. */
    countersTimeout: read('COUNTERS_TIMEOUT_MS', timeouts.count, integerBetween(1, 60_000)),
    /** What happens to requests that shared counters do not count: each process counts its own, or refuses them. */
    countersDown: read('COUNTERS_DOWN', 'count-locally', oneOf(['count-locally', 'refuse'])),
    /** The origin of links in responses; undefined to take it from the request. */
    publicUrl: read('PUBLIC_URL', undefined, parseOrigin),
    /** The proxies whose X-Forwarded-* headers are trusted: none (false), a number of hops, or IP addresses. */
    trustProxy: read('TRUST_PROXY', false, parseTrustProxy),
    /** Whether every response is checked against the contract before it is sent. */
    validateResponses: read('VALIDATE_RESPONSES', !production, parseBoolean),
    maxConnections: read('MAX_CONNECTIONS', 10_000, integerBetween(1, 1_000_000)),
    /** The address of the metrics listener; undefined if metrics are off. */
    metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
    /** OpenTelemetry, whose SDK reads its other variables itself; undefined if it is off. */
    telemetry: isTelemetryOn ? { serviceName } : undefined,
    logLevel: read('LOG_LEVEL', production ? 'info' : 'warn', oneOf(logLevels)),
    /** Milliseconds after a stop signal during which the server still accepts connections, while /readyz answers 503. */
    drainDelay: read('DRAIN_DELAY_SECONDS', 0, integerBetween(0, 3_600)) * 1_000,
    /** Milliseconds that requests in flight have to finish after that. */
    drainDeadline: read('DRAIN_SECONDS', 10, integerBetween(0, 3_600)) * 1_000,
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

const ofDatabase = [
  ...['NODE_ENV', 'API_MODE', 'DATABASE_URL', 'MIGRATE'],
  ...['DATABASE_CONNECT_MS', 'DATABASE_STATEMENT_MS', 'DATABASE_WAIT_MS'],
];

/** The database of the environment, for commands, which other settings do not concern. */
export function readDatabase(environment: Environment, service: string): Config {
  return readConfig(Object.fromEntries(ofDatabase.map((name) => [name, environment[name]])), service);
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

type Value = string | number | boolean | string[];
type Reading<T> = { value: T } | { problem: string };
type Parse<T> = (text: string) => Reading<T>;

function oneOf<const T extends string>(values: readonly T[]): Parse<T> {
  return (text) => {
    const value = values.find((one) => one === text);
    return value === undefined ? { problem: `it must be one of ${values.join(', ')}.` } : { value };
  };
}

function integerBetween(least: number, most: number): Parse<number> {
  return (text) => {
    const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return { value };
    return { problem: `it must be a whole number from ${least} to ${most}.` };
  };
}

function textThat(isValid: (text: string) => boolean, problem: string): Parse<string> {
  return (text) => (isValid(text) ? { value: text } : { problem });
}

const httpUrl = textThat(
  (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
  'it must be a URL, such as http://localhost:4318.',
);

const host = textThat(
  (text) => isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text),
  'it must be an IP address or a hostname, such as 127.0.0.1 or 0.0.0.0.',
);

const redisUrl = textThat(
  isRedisUrl,
  'It must be redis://HOST:PORT, or rediss://HOST:PORT with TLS. It can contain a user, a password and /DATABASE. After a failover, the same address must lead to the new server.',
);

function parseDatabaseUrl(text: string): Reading<string> {
  const problem = databaseUrlProblem(text);
  return problem === undefined ? { value: text } : { problem };
}

function parseBoolean(text: string): Reading<boolean> {
  if (['1', 'true', 'yes', 'on'].includes(text.toLowerCase())) return { value: true };
  if (['0', 'false', 'no', 'off'].includes(text.toLowerCase())) return { value: false };
  return { problem: 'it must be true or false.' };
}

function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  // The path is the number of a database. The client library would ignore any other path or a query.
  const isPlain = url !== null && url.hostname !== '' && /^\/?[0-9]{0,5}$/.test(url.pathname) && url.search === '';
  return isPlain && /^rediss?:$/.test(url.protocol);
}

function parseOrigin(text: string): Reading<string> {
  const url = URL.parse(text);
  // Comparing the whole URL refuses a path, a user or a query instead of ignoring it.
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return { value: url.origin };
  return { problem: 'it must be a URL without a path, such as https://api.example.com.' };
}

function parseTrustProxy(text: string): Reading<false | number | string[]> {
  if (text === 'false' || text === '0') return { value: false };
  if (/^[1-9][0-9]?$/.test(text)) return { value: Number(text) };
  const ranges = text.split(',').map((range) => range.trim());
  if (ranges.every(isTrustRange)) return { value: ranges };
  return { problem: 'it must be a number of proxies, or IP addresses and ranges such as loopback,10.0.0.0/8.' };
}

function isTrustRange(range: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(range)) return true;
  const [address = '', prefix, ...more] = range.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  // /0 covers all addresses and would trust every caller.
  return prefix === undefined || (/^[1-9][0-9]{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}
