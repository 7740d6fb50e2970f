import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { contract } from '@animal-store/contract/service';
import { describe, expect, test } from '@jest/globals';
import { createKeyRing } from '../../service/src/keys/key-ring.ts';
import { describeOnPostgres } from '../../testing/src/postgres/in-tests.ts';
import { openStorage } from '../src/operations/storage/index.ts';
import { temporaryDatabase } from './harness.ts';
import { runToItsEnd, startProcess } from './process.ts';

const main = join(import.meta.dirname, '../src/main.ts');

/** Runs the command behind `npm run migrate`. */
async function runMigrate(environment: Record<string, string>, ...args: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  const child = spawn(process.execPath, [main, 'migrate', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, note, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, note };
}

/** Creates a pet as a caller does. */
async function createPet(url: string, databaseUrl: string): Promise<number> {
  const storage = await openStorage(databaseUrl);
  const { secret } = await createKeyRing(storage.keys, contract, Date.now, 'test').create({ plan: 'free' });
  await storage.close();
  const response = await fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
  });
  await response.body?.cancel();
  return response.status;
}

describe('npm run migrate', () => {
  test('creates the tables, which MIGRATE=never requires, and then has nothing to do', async () => {
    const database = await temporaryDatabase();
    const environment = { DATABASE_URL: database.url };
    try {
      const refused = await runToItsEnd({ ...environment, MIGRATE: 'never' });
      expect(refused.code).toBe(1);
      expect(refused.output).toContain(
        'The database lacks the migration service/0001-start.sql, and MIGRATE is never.',
      );
      expect(await runMigrate(environment)).toMatchObject({
        code: 0,
        out: expect.stringMatching(
          /^service\/0001-start\.sql: done\n(.*: done\n)*animal-store\/0008-orders-placed-by-time\.sql: done\n$/,
        ),
      });
      expect((await runMigrate(environment)).out).toBe('The tables are already up to date.\n');
      const server = await startProcess({ ...environment, MIGRATE: 'never' });
      expect((await server.end('SIGTERM')).code).toBe(0);
    } finally {
      await database.remove();
    }
  });

  test.each([
    [['--now'], {}, 2, 'migrate takes no arguments.'],
    [[], { NODE_ENV: 'production' }, 2, 'DATABASE_URL is missing, and production has no default.'],
    [[], { DATABASE_URL: 'sqlite::memory:' }, 1, 'ends with its process. Set DATABASE_URL to a file.'],
  ])('refuses %j %j', async (args, environment, code, message) => {
    const refused = await runMigrate(environment, ...args);
    expect([refused.code, refused.out]).toEqual([code, '']);
    expect(refused.note).toContain(message);
  });

  test('lets this version run on the tables of a later one if the later migrations are additive', async () => {
    const database = await temporaryDatabase();
    try {
      await runMigrate({ DATABASE_URL: database.url });
      const later = new DatabaseSync(database.url.slice('sqlite:'.length));
      later.exec(`ALTER TABLE pets ADD COLUMN colour TEXT; CREATE TABLE visits (day TEXT PRIMARY KEY) STRICT;
        INSERT INTO migrations VALUES (99, 'animal-store/0009-colour.sql', 'x', 1, 1)`);
      const server = await startProcess({ DATABASE_URL: database.url, MIGRATE: 'never' });
      expect(await createPet(server.url, database.url)).toBe(201);
      await server.end('SIGTERM');
      later.exec("INSERT INTO migrations VALUES (100, 'animal-store/0010-split.sql', 'x', 1, 0)");
      later.close();
      const refused = await runToItsEnd({ DATABASE_URL: database.url });
      expect(refused.output).toContain('newer than this program: it has the migration animal-store/0010-split.sql');
    } finally {
      await database.remove();
    }
  });
});

describeOnPostgres('on PostgreSQL', (postgres) => {
  test('servers need only the privilege to read and write rows, even on the tables of a later version', async () => {
    const owner = await postgres.freshUrl();
    const schema = decodeURIComponent(new URL(owner).search).split('=').at(-1);
    await postgres.query(`CREATE ROLE app LOGIN PASSWORD 'rows-only'; GRANT USAGE ON SCHEMA ${schema} TO app;
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO app`);
    const app = Object.assign(new URL(owner), { username: 'app', password: 'rows-only' }).href;
    const refused = await runToItsEnd({ DATABASE_URL: app, MIGRATE: 'never' });
    expect(refused.output).toContain('The database lacks the migration service/0001-start.sql, and MIGRATE is never.');
    const forbidden = await runToItsEnd({ DATABASE_URL: app });
    expect(forbidden.output).toContain(
      'the user is not allowed to change its tables; run npm run migrate as a user that is.',
    );
    expect((await runMigrate({ DATABASE_URL: owner })).code).toBe(0);

    await using server = await startStoppable({ DATABASE_URL: app, MIGRATE: 'never' });
    expect(await createPet(server.url, app)).toBe(201);
    const later = `SET search_path TO ${schema}; ALTER TABLE pets ADD COLUMN colour text; CREATE TABLE visits (day text);`;
    await postgres.query(`${later} INSERT INTO migrations VALUES (99, 'animal-store/0009-colour.sql', 'x', 1, true)`);
    await using old = await startStoppable({ DATABASE_URL: app });
    expect(await createPet(old.url, app)).toBe(201);
    await postgres.query(`SET search_path TO ${schema}; UPDATE migrations SET additive = false WHERE number = 99`);
    const newer = await runToItsEnd({ DATABASE_URL: app, MIGRATE: 'never' });
    expect(newer.output).toContain('newer than this program: it has the migration animal-store/0009-colour.sql');
  });
});

async function startStoppable(environment: Record<string, string>) {
  const server = await startProcess(environment);
  return { url: server.url, [Symbol.asyncDispose]: async () => void (await server.end('SIGTERM')) };
}
