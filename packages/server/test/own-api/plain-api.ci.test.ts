import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { newApi } from '../../../tooling/src/new/api.ts';
import { Repository } from './repository.ts';

// A contract without extensions and security: no quotas, no bans, no keys, and nothing that mentions them.

const parent = realpathSync(mkdtempSync(join(tmpdir(), 'plain-api-')));
const project = new Repository(join(parent, 'tides'));
const main = 'packages/server/src/main.ts';

beforeAll(() => {
  newApi(project.folder, join(import.meta.dirname, 'tides.yaml'), 'tides');
  project.installVendored();
  const { status, output } = project.run('generate');
  expect({ status, output }).toMatchObject({ status: 0 });
  project.write(
    'packages/client/test/call.ts',
    `import { createTides } from '../src/index.ts';

const [baseUrl = ''] = process.argv.slice(2);
const tides = createTides({ baseUrl });
const { data } = await tides.GET('/tides');
console.log([data?.length, tides.rateLimit].join(', '));
`,
  );
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('an operation sets the headers and the 429 that are its own', () => {
  project.write(
    'packages/server/src/operations/listTides.ts',
    `import { ApiError, type Call, type Result } from './operation.ts';

export async function listTides({ quota }: Call<'listTides'>): Promise<Result<'listTides'>> {
  const none: undefined = quota;
  return none === undefined
    ? { status: 200, headers: { 'X-RateLimit-Limit': 1 }, body: [] }
    : new ApiError('too_many_requests', 'Too many tides.');
}
`,
  );
  expect(project.node('node_modules/typescript/bin/tsc').output).toBe('');
});

test('on SQLite, nothing is counted and no key is needed', () =>
  expectPlain({ DATABASE_URL: `sqlite:${join(parent, 'tides.db')}` }));

describeOnPostgres('on PostgreSQL', (postgres) => {
  test('nothing is counted and no key is needed', async () => expectPlain({ DATABASE_URL: await postgres.freshUrl() }));
});

/** @param settings of the server */
async function expectPlain(settings: Record<string, string>): Promise<void> {
  const server = runNode(project.folder, [main], { NODE_ENV: 'test', PORT: '0', METRICS_PORT: '0', ...settings });
  try {
    const banner = await server.printed(/curl .*\n/);
    const [, url = ''] = /API +(http:\S+)/.exec(banner) ?? [];
    const [, metrics = ''] = /metrics +(http:\S+)/.exec(banner) ?? [];
    expect(banner).toContain(`curl "${url}/tides"`);
    expect(banner).not.toMatch(/key|Bearer/i);
    const send = (path: string, parts = {}) => fetch(`${url}${path}`, parts);
    for (let count = 0; count < 200; count += 1) {
      const response = await send('/old-tides', { headers: { authorization: `Bearer ${count}` } });
      expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([204, null]);
    }
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const errors = await Promise.all([
      send('/gone'),
      send('/tides', { method: 'DELETE' }),
      send('/tides', { ...json, body: '{' }),
      send('/tides', { ...json, body: JSON.stringify({ at: 'x'.repeat(70_000) }) }),
      send('/tides', { headers: { 'x-large': 'x'.repeat(20_000) } }),
    ]);
    expect(errors.map(({ status }) => status)).toEqual([404, 405, 400, 413, 431]);
    expect(
      errors.map(({ headers }) => headers.has('x-ratelimit-limit') || headers.has('www-authenticate')),
    ).not.toContain(true);
    const published = await (await send('/openapi.json')).text();
    expect(published).not.toMatch(/rate_limited|key_banned|api_key|X-Key-Expires|X-RateLimit-Reset|x-rate-limits/);
    expect(JSON.parse(published).security).toBeUndefined();
    const shown = await (await fetch(metrics)).text();
    expect(shown).not.toMatch(/shared_counters|redis/);
    expect(project.node('packages/client/test/call.ts', url)).toEqual({ status: 0, output: '1, \n' });
  } finally {
    server.kill('SIGTERM');
  }
  expect(await server.ended).toBe(0);
}
