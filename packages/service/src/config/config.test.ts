import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { ConfigError, readConfig, readDatabase } from './config.ts';

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('without settings', () => {
  const defaults = {
    production: false,
    development: true,
    mode: 'test',
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: 'sqlite:data/service.db',
    sandboxes: false,
    migrate: 'on-start',
    databaseLimits: { connectMs: 5_000, statementMs: 1_100, waitMs: 2_000 },
    redisUrl: undefined,
    countersTimeout: 500,
    countersDown: 'count-locally',
    publicUrl: undefined,
    trustProxy: false,
    validateResponses: true,
    maxConnections: 10_000,
    metrics: undefined,
    logLevel: 'warn',
    drainDelay: 0,
    drainDeadline: 10_000,
  };

  test('the server runs on this machine only, for development', () => {
    expect(readConfig({})).toEqual(defaults);
  });

  test.each(['', '  '])('the same applies to settings that are "%s"', (text) => {
    const names = ['NODE_ENV', 'HOST', 'PORT', 'DATABASE_URL', 'PUBLIC_URL', 'TRUST_PROXY', 'VALIDATE_RESPONSES'];
    const environment = Object.fromEntries(
      [...names, 'LOG_LEVEL', 'DRAIN_SECONDS', 'METRICS_PORT', 'REDIS_URL', 'COUNTERS_DOWN'].map((name) => [
        name,
        text,
      ]),
    );
    expect(readConfig(environment)).toEqual(defaults);
  });

  test.each([{}, { DATABASE_URL: ' ' }])('production refuses to start without a database: %j', (environment) => {
    expect(problemsOf({ NODE_ENV: 'production', ...environment })).toEqual([
      'DATABASE_URL is missing, and production has no default. Set it to postgres://… or sqlite:PATH.',
    ]);
    const problems = 'DATABASE_URL is missing';
    expect(() => readDatabase({ NODE_ENV: 'production', ...environment }, 'service')).toThrow(problems);
  });

  test('tests use the defaults of development, without seeds and a key for the docs', () => {
    expect(readConfig({ NODE_ENV: 'test' })).toEqual({ ...defaults, development: false });
  });
});

test('metrics may be opened to other machines, on a separate port', () => {
  expect(readConfig({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' }).metrics).toEqual({
    host: '0.0.0.0',
    port: 9464,
  });
  expect(readConfig({ METRICS_HOST: '0.0.0.0' }).metrics).toBeUndefined();
});

describe('a setting is parsed', () => {
  test.each([
    ['API_MODE', 'live', { mode: 'live', development: false }],
    ['PORT', '0', { port: 0 }],
    ['PORT', ' 8080 ', { port: 8080 }],
    ['METRICS_PORT', '9464', { metrics: { host: '127.0.0.1', port: 9464 } }],
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['HOST', '::', { host: '::' }],
    ['MIGRATE', 'never', { migrate: 'never' }],
    ['DATABASE_URL', 'sqlite:/var/lib/store.db', { databaseUrl: 'sqlite:/var/lib/store.db' }],
    ['DATABASE_URL', 'postgres://store:secret@db/notes', { databaseUrl: 'postgres://store:secret@db/notes' }],
    ['REDIS_URL', 'redis://127.0.0.1:6379', { redisUrl: 'redis://127.0.0.1:6379' }],
    ['REDIS_URL', 'rediss://me:secret@redis.example:6380/2', { redisUrl: 'rediss://me:secret@redis.example:6380/2' }],
    ['COUNTERS_TIMEOUT_MS', '250', { countersTimeout: 250 }],
    ['COUNTERS_DOWN', 'refuse', { countersDown: 'refuse' }],
    ['DATABASE_WAIT_MS', '250', { databaseLimits: { connectMs: 5_000, statementMs: 1_100, waitMs: 250 } }],
    ['PUBLIC_URL', 'https://api.example.com', { publicUrl: 'https://api.example.com' }],
    ['PUBLIC_URL', 'https://api.example.com/', { publicUrl: 'https://api.example.com' }],
    ['PUBLIC_URL', 'https://[2001:db8::1]:8443', { publicUrl: 'https://[2001:db8::1]:8443' }],
    ['TRUST_PROXY', 'false', { trustProxy: false }],
    ['TRUST_PROXY', '0', { trustProxy: false }],
    ['TRUST_PROXY', '1', { trustProxy: 1 }],
    ['TRUST_PROXY', 'uniquelocal, 10.0.0.0/8 ,::1', { trustProxy: ['uniquelocal', '10.0.0.0/8', '::1'] }],
    ['VALIDATE_RESPONSES', 'false', { validateResponses: false }],
    ['VALIDATE_RESPONSES', 'OFF', { validateResponses: false }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['MAX_CONNECTIONS', '100', { maxConnections: 100 }],
    ['DRAIN_SECONDS', '0', { drainDeadline: 0 }],
    ['DRAIN_DELAY_SECONDS', '5', { drainDelay: 5_000 }],
  ])('%s=%s', (name, text, expected) => {
    expect(readConfig({ [name]: text })).toEqual({ ...readConfig({}), ...expected });
  });
});

describe('an invalid setting is refused, with its name and what is allowed', () => {
  test.each([
    ['NODE_ENV', 'prod', 'production, development, test'],
    ['API_MODE', 'staging', 'live, test'],
    ['PORT', '8e3', 'from 0 to 65535'],
    ['HOST', 'http://localhost', 'an IP address or a hostname'],
    ['DATABASE_URL', 'data/field-notes.db', 'sqlite:PATH'],
    ['DATABASE_URL', 'postgres://db', 'postgres://USER:PASSWORD@HOST:5432/DATABASE'],
    ['REDIS_URL', 'localhost:6379', 'redis://HOST:PORT'],
    ['REDIS_URL', 'redis+sentinel://one.example:26379/notes', 'the same address must lead to the new server'],
    ['REDIS_URL', 'redis://localhost/counters', 'redis://HOST:PORT'],
    ['REDIS_URL', 'redis://localhost?protocol=3', 'redis://HOST:PORT'],
    ['COUNTERS_TIMEOUT_MS', '0', 'from 1 to 60000'],
    ['COUNTERS_DOWN', 'off', 'count-locally, refuse'],
    ['REDIS_TIMEOUT_MS', '300', 'Set COUNTERS_TIMEOUT_MS instead'],
    ['PUBLIC_URL', 'api.example.com', 'without a path'],
    ['PUBLIC_URL', 'ftp://api.example.com', 'without a path'],
    ['PUBLIC_URL', 'https://api.example.com/v1', 'without a path'],
    ['TRUST_PROXY', 'true', 'a number of proxies'],
    ['TRUST_PROXY', '100', 'a number of proxies'],
    ['TRUST_PROXY', 'loopback,', 'a number of proxies'],
    ['TRUST_PROXY', '0.0.0.0/0', 'a number of proxies'],
    ['TRUST_PROXY', '2001:db8::/129', 'a number of proxies'],
    ['VALIDATE_RESPONSES', 'maybe', 'true or false'],
    ['METRICS_PORT', '3000', 'it must differ from PORT'],
    ['METRICS_HOST', '*', 'an IP address or a hostname'],
    ['LOG_LEVEL', 'verbose', 'trace, debug, info'],
    ['DRAIN_SECONDS', '10s', 'from 0 to 3600'],
  ])('%s=%s', (name, text, allowed) => {
    const problems = problemsOf({ [name]: text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} is `));
    expect(problems[0]).toContain(allowed);
  });

  test('all of them at once, one line each', () => {
    const environment = { PORT: 'x', HOST: '*', NODE_ENV: 'x', LOG_LEVEL: 'x', DRAIN_SECONDS: 'x', TRUST_PROXY: 'x' };
    const problems = problemsOf({ ...environment, PUBLIC_URL: 'x', VALIDATE_RESPONSES: 'x', DATABASE_URL: 'x' });
    expect(problems).toHaveLength(9);
    expect(() => readConfig(environment)).toThrow(/^The settings are wrong:\n( {2}- .+\n){5} {2}- .+$/);
  });

  test('a setting of an earlier release, with what to do instead', () => {
    expect(problemsOf({ WORKERS: '4' })).toEqual([
      'WORKERS is no longer a setting. To use more cores, start several servers on one PostgreSQL (DATABASE_URL=postgres://…), each with its own PORT.',
    ]);
  });

  test('without repeating the password of a database', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://store:secret@localhost/notes' }).join()).not.toContain('secret');
    expect(problemsOf({ REDIS_URL: 'redis://store:secret@localhost/notes' }).join()).not.toContain('secret');
  });
});

const proxies = ['1', '99', 'loopback', 'linklocal,uniquelocal', '10.0.0.1', '10.0.0.0/1', '10.0.0.0/32', '::1'];
test.each([...proxies, '2001:db8::/1', '2001:db8::/128', '::ffff:10.0.0.1', 'fe80::1%eth0'])(
  'Express accepts the trusted proxies: %s',
  (text) => {
    const { trustProxy } = readConfig({ TRUST_PROXY: text });
    expect(() => express().set('trust proxy', trustProxy)).not.toThrow();
  },
);
