import { contractVersion } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../../service/src/config/config.ts';
import { type BannerParts, banner } from '../../../../service/src/process/banner.ts';
import { firstCalls } from '../../../src/operations/index.ts';

const key = { secret: 'as_test_secret', file: 'data/animal-store.development-key' };

function bannerOf(
  settings: Record<string, string>,
  developmentKey: BannerParts['developmentKey'] = undefined,
  { port = 3000, metricsPort, ...more }: Partial<BannerParts> = {},
) {
  return banner({
    contract,
    config: readConfig(settings, 'animal-store'),
    port,
    metricsPort,
    developmentKey,
    firstCalls,
    ...more,
  });
}

describe('the banner', () => {
  test('lists every URL, with the port that the server listens on', () => {
    expect(bannerOf({ PORT: '0' }, undefined, { port: 40_123 })).toBe(
      [
        `Animal Store ${contractVersion}, test mode`,
        '  API       http://127.0.0.1:40123/v1',
        '  docs      http://127.0.0.1:40123/docs',
        '  contract  http://127.0.0.1:40123/openapi.yaml',
        '  database  sqlite:data/animal-store.db',
        '  API keys  npm run --silent keys -- create --plan free',
      ].join('\n'),
    );
  });

  test('names the shared counters without their password', () => {
    expect(bannerOf({ REDIS_URL: 'rediss://:secret@redis.example:6380' })).toContain(
      '\n  counters  rediss://redis.example:6380\n',
    );
  });

  test.each([
    ['127.0.0.1', 'http://127.0.0.1:3000/v1'],
    ['0.0.0.0', 'http://127.0.0.1:3000/v1'],
    ['::', 'http://127.0.0.1:3000/v1'],
    ['::1', 'http://[::1]:3000/v1'],
    ['2001:db8::7', 'http://[2001:db8::7]:3000/v1'],
    ['store.example', 'http://store.example:3000/v1'],
  ])('shows a URL that works on this machine for the host %s: %s', (host, address) => {
    expect(bannerOf({ HOST: host })).toContain(`  API       ${address}\n`);
  });

  test('shows the development key, its file, and calls that use it', () => {
    const text = bannerOf({}, key);
    expect(text).toContain('as_test_secret   (free plan, stored in data/animal-store.development-key)');
    expect(text).toContain('\n  curl -H "Authorization: Bearer as_test_secret" "http://127.0.0.1:3000/v1/pets"\n');
    expect(text).not.toContain('keys -- create');
  });

  test('shows a place for the token that a function of the project verifies', () => {
    const verify = { apiKey: async () => undefined };
    expect(bannerOf({}, undefined, { verify })).toContain('-H "Authorization: Bearer <TOKEN>" ');
  });

  test('says that the key of a database in memory is lost when the process ends', () => {
    expect(bannerOf({ DATABASE_URL: 'sqlite::memory:' }, { ...key, file: undefined })).toContain(
      'as_test_secret   (free plan, lost when this process exits)',
    );
  });

  test('shows the URL of the metrics if they are enabled', () => {
    const text = bannerOf({ METRICS_PORT: '0' }, undefined, { metricsPort: 40_124 });
    expect(text).toContain('  metrics   http://127.0.0.1:40124/metrics\n');
    expect(bannerOf({})).not.toContain('metrics');
  });
});

describe('the password of a database is not shown', () => {
  test.each([
    ['postgres://store:sec@secret@db.example:5432/pets', 'postgres://db.example:5432/pets'],
    ['postgresql://store@db.example/pets?password=secret', 'postgresql://db.example/pets'],
    ['sqlite:data/a:b@c.db', 'sqlite:data/a:b@c.db'],
  ])('%s', (databaseUrl, shown) => {
    const config = { ...readConfig({}), databaseUrl };
    const text = banner({
      contract,
      config,
      port: 3000,
      metricsPort: undefined,
      developmentKey: undefined,
      firstCalls,
    });
    expect(text).toContain(`  database  ${shown}\n`);
  });
});
