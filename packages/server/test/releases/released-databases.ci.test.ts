import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { migrationsOf } from '../../../service/src/storage/migrations/migrations.ts';
import { connectForSetUp, migrate } from '../../../service/src/storage/postgres/set-up.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { storeDefinition } from '../../src/operations/storage/index.ts';
import { startTestServer, temporaryDatabase } from '../harness.ts';

const folder = join(import.meta.dirname, 'databases');
const databases = readdirSync(folder).filter((file) => !file.endsWith('.json'));

type Facts = {
  at: string;
  secrets: Record<'business' | 'rotated' | 'old' | 'revoked', string>;
  keys: Record<'business' | 'free', string>;
  refusal: string;
  idempotent: { request: object; response: object };
  pets: object[];
  orders: object[];
};

/** Every release left one, which fill.ts wrote with the server and the commands of that release. */
function describeReleased(
  name: string,
  makeDatabase: () => Promise<{ url: string; remove?: () => Promise<void> }>,
): void {
  test(`${name} opens without the loss of a row`, async () => {
    const facts: Facts = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    const { secrets } = facts;
    const { url, remove } = await makeDatabase();
    {
      // Within the same minute and day, so that the usage still counts.
      await using server = await startTestServer({
        databaseUrl: url,
        now: Date.parse(facts.at),
        config: { mode: 'live' },
      });
      const { body: pets } = await server.call('listPets', { key: secrets.business, query: { limit: 100 } });
      expect(pets).toEqual(facts.pets);
      const { body: orders } = await server.call('listOrders', { key: secrets.business, query: { limit: 100 } });
      expect(orders).toEqual(facts.orders.map((order) => expect.objectContaining(order)));
      const replayed = await server.call('createPet', {
        key: secrets.business,
        body: facts.idempotent.request,
        headers: { 'idempotency-key': 'kept-over-releases' },
      });
      expect([replayed.status, replayed.body]).toEqual([201, facts.idempotent.response]);
      const added = await server.call('createPet', { key: secrets.business, body: { name: 'New', categoryId: 1 } });
      expect([added.status, added.body.id]).toEqual([201, facts.pets.length + 1]);
      expect((await server.call('listPets', { key: secrets.revoked })).status).toBe(401);
      for (const secret of [secrets.rotated, secrets.old]) {
        const banned = await server.call('listPets', { key: secret });
        expect([banned.status, banned.body.code]).toEqual([429, facts.refusal]);
      }
    }
    await remove?.();
  });
}

describe('a SQLite file of a release', () => {
  for (const name of databases.filter((file) => file.endsWith('.db'))) {
    describeReleased(name, async () => {
      const { url, path, remove } = await temporaryDatabase();
      copyFileSync(join(folder, name), path);
      return { url, remove };
    });
  }
});

describeOnPostgres('a PostgreSQL of a release', (postgres) => {
  for (const name of databases.filter((file) => file.endsWith('.sql'))) {
    describeReleased(name, async () => {
      const database = `release_${name.replaceAll(/\W/g, '_')}`;
      await postgres.query(`CREATE DATABASE ${database}`);
      const url = postgres.urlOf(database);
      const dump = readFileSync(join(folder, name), 'utf8');
      await makeTables(url, dump);
      await postgres.query(dump, database);
      return { url };
    });
  }
});

/** Since 1.2.0 a dump has rows only: its tables are those of the migrations that it names, which never change. */
async function makeTables(url: string, dump: string): Promise<void> {
  const { name, postgres } = storeDefinition;
  const all = migrationsOf('postgres', { name, migrations: postgres.migrations });
  const named = all.filter((migration) => dump.includes(`'${migration.name}'`));
  if (named.length === 0) return;
  const client = await connectForSetUp(url, name);
  await migrate(client, named, 0);
  // The dump has its own history, with the checksums of the release.
  await client.query('TRUNCATE migrations');
  await client.end();
}
