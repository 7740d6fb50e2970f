import { contractVersion } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../config/config.ts';
import { banner } from './banner.ts';

const key = { secret: 'as_test_secret', file: 'data/animal-store.development-key' };

function bannerOf(settings: Record<string, string>, shown: Parameters<typeof banner>[2] = undefined, port = 3000) {
  return banner(readConfig(settings), { port }, shown);
}

describe('the banner', () => {
  test('says where everything is, on the port that is really used', () => {
    expect(bannerOf({ PORT: '0' }, undefined, 40_123)).toBe(
      [
        `Animal Store ${contractVersion}`,
        '  API       http://127.0.0.1:40123/v1',
        '  docs      http://127.0.0.1:40123/docs',
        '  contract  http://127.0.0.1:40123/openapi.yaml',
        '  database  sqlite:data/animal-store.db',
        '  API keys  npm run --silent keys -- create --plan free',
      ].join('\n'),
    );
  });

  test('says where the processes count together, without the password', () => {
    expect(bannerOf({ REDIS_URL: 'rediss://:secret@redis.example:6380' })).toContain(
      '\n  counters  rediss://:…@redis.example:6380\n',
    );
  });

  test.each([
    ['127.0.0.1', 'http://127.0.0.1:3000/v1'],
    ['0.0.0.0', 'http://127.0.0.1:3000/v1'],
    ['::', 'http://127.0.0.1:3000/v1'],
    ['::1', 'http://[::1]:3000/v1'],
    ['2001:db8::7', 'http://[2001:db8::7]:3000/v1'],
    ['store.example', 'http://store.example:3000/v1'],
  ])('shows for the host %s an address that can be called: %s', (host, address) => {
    expect(bannerOf({ HOST: host })).toContain(`  API       ${address}\n`);
  });

  test('shows the development key, where it is kept, and calls that use it', () => {
    const text = bannerOf({}, key);
    expect(text).toContain('as_test_secret   (free plan, kept in data/animal-store.development-key)');
    expect(text).toContain('\n  curl -H "Authorization: Bearer as_test_secret" "http://127.0.0.1:3000/v1/pets"\n');
    expect(text).not.toContain('keys -- create');
  });

  test('has a call that adds an animal, with a body that is JSON', () => {
    const body = /-d '([^']+)'/.exec(bannerOf({}, key))?.[1] ?? '';
    expect(JSON.parse(body)).toEqual({ name: 'Rex', categoryId: 3, status: 'available' });
  });

  test('says that a key of a database in memory is gone with the process', () => {
    expect(bannerOf({ DATABASE_URL: 'sqlite::memory:' }, { ...key, file: undefined })).toContain(
      'as_test_secret   (free plan, gone with this process)',
    );
  });

  test.each([
    'postgres://store:secret@db.example:5432/animals?sslmode=verify-full',
    'postgres://store@db.example:5432/animals?password=secret',
    'postgres://store:se@cret@db.example:5432/animals',
  ])('shows where the database is, without the password: %s', (DATABASE_URL) => {
    const text = bannerOf({ DATABASE_URL });
    expect(text).toContain('@db.example:5432/animals\n');
    expect(text).not.toContain('cret');
  });

  test('says where the metrics are, where they are on', () => {
    const text = banner(readConfig({ METRICS_PORT: '0' }), { port: 3000, metricsPort: 40_124 }, undefined);
    expect(text).toContain('  metrics   http://127.0.0.1:40124/metrics\n');
    expect(bannerOf({})).not.toContain('metrics');
  });

  test('shows no key where none is given', () => {
    expect(bannerOf({ NODE_ENV: 'production' })).not.toMatch(/as_(live|test)_/);
  });
});

describe('the password of a database is not shown', () => {
  test.each([
    ['postgres://store:secret@db.example/pets', 'postgres://store:…@db.example/pets'],
    ['postgres://:secret@db.example/pets', 'postgres://:…@db.example/pets'],
    ['postgres://store:secret:secret@db.example/pets', 'postgres://store:…@db.example/pets'],
    ['postgres://store:sec@secret@db.example/pets', 'postgres://store:…@db.example/pets'],
    ['postgres+ssl://store:secret@db.example/pets', 'postgres+ssl://store:…@db.example/pets'],
    ['postgres://store@db.example:5432/pets', 'postgres://store@db.example:5432/pets'],
    ['postgres://db.example:5432/pets', 'postgres://db.example:5432/pets'],
    ['sqlite:data/a:b@c.db', 'sqlite:data/a:b@c.db'],
  ])('%s', (databaseUrl, shown) => {
    const text = banner({ ...readConfig({}), databaseUrl }, { port: 3000 }, undefined);
    expect(text).toContain(`  database  ${shown}\n`);
  });
});
