import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Arguments } from '../../../service/src/cli/arguments.ts';
import { commandHelp, commands, overview } from '../../../service/src/cli/help.ts';
import { workOf } from '../../../service/src/cli/work.ts';
import { readConfig } from '../../../service/src/config/config.ts';
import { banner } from '../../../service/src/process/banner.ts';
import { startServer } from '../../../service/src/start.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { textNote as note } from '../../../tooling/test/second-contract-fixture.ts';
import { api as animals } from '../../src/operations/api.ts';
import { api as notes } from './operations/api.ts';
import { startService } from './start-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'two-contracts-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Service = Awaited<ReturnType<typeof startService>>;

async function ask({ origin, secret }: Service, path: string, method = 'GET', sent?: object, key = secret) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
  const response = await fetch(origin + path, { method, headers, ...body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const metricsOf = async ({ metricsUrl }: Service) => (await fetch(metricsUrl)).text();

const pet = { name: 'Rex', categoryId: 3 };

async function expectApart(urls: { animals: string; notes: string }): Promise<void> {
  await using store = await startService(animals, urls.animals);
  await using field = await startService(notes, urls.notes);
  const [rex, heron] = await Promise.all([ask(store, '/v1/pets', 'POST', pet), ask(field, '/v1/notes', 'POST', note)]);
  expect([rex.status, heron.status]).toEqual([201, 201]);
  expect((await ask(store, '/v1/pets')).text).toContain('Rex');
  expect((await ask(field, '/v1/notes')).text).toContain('Heron');
  // Each router, validator and list of codes is that of its own contract.
  expect((await ask(store, '/v1/notes')).status).toBe(404);
  expect((await ask(field, '/v1/pets')).status).toBe(404);
  expect((await ask(store, '/v1/pets', 'POST', note)).text).toContain('body/name is required');
  expect(JSON.parse((await ask(field, '/v1/notes/999')).text).code).toBe('note_not_found');
  // A key of one is unknown to the other, and each refusal names its own service.
  const [foreign, unknown] = [
    await ask(field, '/v1/notes', 'GET', undefined, store.secret),
    await ask(store, '/v1/pets', 'GET', undefined, 'x'),
  ];
  expect([foreign.status, foreign.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('realm="second-contract"'),
  ]);
  expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('realm="animal-store"'),
  ]);
  const titles = await Promise.all(
    [store, field].map(async (service) => JSON.parse((await ask(service, '/openapi.json')).text).info.title),
  );
  expect(titles).toEqual(['Animal Store', 'Field Notes']);
  const [ofStore, ofField] = [await metricsOf(store), await metricsOf(field)];
  expect(ofStore).toContain('animal_store_request_duration_seconds_count{operation="createPet",status="201"} 1');
  expect(ofField).toContain('second_contract_request_duration_seconds_count{operation="createNote",status="201"} 1');
  expect(ofField).not.toContain('animal_store');
}

test('one process serves two contracts on SQLite', async () => {
  await expectApart({ animals: `sqlite:${join(folder, 'animals.db')}`, notes: `sqlite:${join(folder, 'notes.db')}` });
});

/** The second contract with plans, a prefix of keys and a base path that no other contract has. */
const club = {
  ...notes.contract,
  plans: { sponsor: { title: 'Sponsor', custom: true }, member: { title: 'Member', perMinute: 7, perDay: 70 } },
  basePath: '/field/v2',
  servers: { live: 'https://api.club.example/field/v2', test: 'https://test.club.example/field/v2' },
  json: notes.contract.json.replaceAll(/example\/v1\b/g, 'example/field/v2'),
} as const;

test('a server starts in development with plans and a base path of its own', async () => {
  const config = readConfig({ NODE_ENV: 'development', PORT: '0', DATABASE_URL: 'sqlite::memory:' });
  const log = pino({ level: 'silent' });
  for (const [plans, plan, limit] of [
    [club.plans, 'member', '7'],
    [{ sponsor: club.plans.sponsor }, 'sponsor', String(club.anonymousLimits.perMinute)],
  ] as const) {
    const contract = { ...club, plans };
    const server = await startServer({ service: { ...notes, contract }, config, log, timeouts: { lastRequest: 0 } });
    try {
      const secret = await server.developmentKey();
      expect((await server.keys.list()).map((key) => key.plan)).toEqual([plan]);
      const origin = `http://127.0.0.1:${server.port}`;
      const response = await fetch(`${origin}/field/v2/notes`, { headers: { authorization: `Bearer ${secret}` } });
      expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, limit]);
      const developmentKey = { secret, file: undefined, docsToken: undefined };
      const parts = { contract, config, port: server.port, metricsPort: undefined, firstCalls: () => [] };
      expect(banner({ ...parts, developmentKey })).toContain(`(${plan} plan, `);
      expect(banner({ ...parts, developmentKey: undefined })).toContain(`--plan ${plan}`);
    } finally {
      await server.stop();
    }
  }
});

test('the commands name the plans and paths of their own contract only', async () => {
  const names = Object.keys(commands).filter((name): name is keyof typeof commands => name in commands);
  const help = [overview(club, 'club'), ...names.map((name) => commandHelp(club, name))].join('\n');
  expect(help).toContain('keys -- create --plan member');
  expect(help).toContain('sponsor (own limits), member (7/min).');
  expect(help).toContain('Requests per minute. Only for sponsor; requires --per-day.');
  const { member } = club.plans;
  expect(commandHelp({ ...club, plans: { member } }, 'create')).not.toContain('--per-minute');
  const refusal = () => workOf.list(new Arguments('list', ['--', 'extra'], club));
  expect(refusal).toThrow('keys -- create --plan member');
  expect(help).not.toMatch(/\/v1\b|\b(free|pro|business|enterprise)\b/);
});

test('the database of one contract is refused by the other', async () => {
  const url = `sqlite:${join(folder, 'animals.db')}`;
  await expect(startService(notes, url)).rejects.toThrow(/animal-store/);
});

describeOnPostgres('PostgreSQL', (postgres) => {
  test('serves two contracts of one process', async () => {
    await expectApart({ animals: await postgres.freshUrl(), notes: await postgres.freshUrl() });
  });

  test('serves one of them, while the other uses SQLite', async () => {
    await expectApart({ animals: await postgres.freshUrl(), notes: `sqlite:${join(folder, 'more-notes.db')}` });
  });
});
