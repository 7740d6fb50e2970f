import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../../service/src/config/config.ts';
import { type ServerParts, startServer } from '../../../service/src/start.ts';
import type { StoreTypes } from '../../../service/src/storage/storage.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { api as animals } from '../../src/operations/api.ts';
import { api as notes } from './operations/api.ts';

const folder = mkdtempSync(join(tmpdir(), 'two-contracts-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Service<Store extends StoreTypes> = ServerParts<Store>['service'];

/** Starts a server of a contract in this process. */
async function start<Store extends StoreTypes>(service: Service<Store>, databaseUrl: string) {
  const config = readConfig({ NODE_ENV: 'test', PORT: '0', METRICS_PORT: '0', DATABASE_URL: databaseUrl });
  const server = await startServer({ service, config, log: pino({ level: 'silent' }), timeouts: { lastRequest: 0 } });
  const { secret } = await server.keys.create({ plan: 'business' });
  const origin = `http://127.0.0.1:${server.port}`;
  const ask = async (path: string, method = 'GET', sent?: object, key = secret) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
    const response = await fetch(origin + path, { method, headers, ...body });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const metrics = async () => (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
  return { ask, metrics, secret, [Symbol.asyncDispose]: async () => void (await server.stop()) };
}

const pet = { name: 'Rex', categoryId: 3 };
const note = {
  kind: 'text',
  title: 'Heron',
  text: 'At dawn.',
  weight: 0.5,
  seenOn: '2026-11-22',
  observer: null,
  tags: [],
};

async function expectApart(urls: { animals: string; notes: string }): Promise<void> {
  await using store = await start(animals, urls.animals);
  await using field = await start(notes, urls.notes);
  const [rex, heron] = await Promise.all([store.ask('/v1/pets', 'POST', pet), field.ask('/v1/notes', 'POST', note)]);
  expect([rex.status, heron.status]).toEqual([201, 201]);
  expect((await store.ask('/v1/pets')).text).toContain('Rex');
  expect((await field.ask('/v1/notes')).text).toContain('Heron');
  // Each router, validator and list of codes is that of its own contract.
  expect((await store.ask('/v1/notes')).status).toBe(404);
  expect((await field.ask('/v1/pets')).status).toBe(404);
  expect((await store.ask('/v1/pets', 'POST', note)).text).toContain('body/name is required');
  expect(JSON.parse((await field.ask('/v1/notes/999')).text).code).toBe('note_not_found');
  // A key of one is unknown to the other, and each refusal names its own service.
  const [foreign, unknown] = [
    await field.ask('/v1/notes', 'GET', undefined, store.secret),
    await store.ask('/v1/pets', 'GET', undefined, 'x'),
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
    [store, field].map(async ({ ask }) => JSON.parse((await ask('/openapi.json')).text).info.title),
  );
  expect(titles).toEqual(['Animal Store', 'Field Notes']);
  const [ofStore, ofField] = [await store.metrics(), await field.metrics()];
  expect(ofStore).toContain('animal_store_request_duration_seconds_count{operation="createPet",status="201"} 1');
  expect(ofField).toContain('second_contract_request_duration_seconds_count{operation="createNote",status="201"} 1');
  expect(ofField).not.toContain('animal_store');
}

test('one process serves two contracts on SQLite', async () => {
  await expectApart({ animals: `sqlite:${join(folder, 'animals.db')}`, notes: `sqlite:${join(folder, 'notes.db')}` });
});

test('the database of one contract is refused by the other', async () => {
  const url = `sqlite:${join(folder, 'animals.db')}`;
  await expect(start(notes, url)).rejects.toThrow(/animal-store/);
});

describeOnPostgres('PostgreSQL', (postgres) => {
  test('serves two contracts of one process', async () => {
    await expectApart({ animals: await postgres.freshUrl(), notes: await postgres.freshUrl() });
  });

  test('serves one of them, while the other uses SQLite', async () => {
    await expectApart({ animals: await postgres.freshUrl(), notes: `sqlite:${join(folder, 'more-notes.db')}` });
  });
});
