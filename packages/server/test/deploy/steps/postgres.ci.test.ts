import { describe, expect, test } from '@jest/globals';
import { startProcess } from '../../process.ts';
import { sqlUnder, stepsUnder } from './operate-steps.ts';
import {
  addAnimals,
  createPostgresWorkspace,
  findPostgresWithTools,
  STORE_PASSWORD,
  serverCalls,
  writeMigration,
} from './workspace.ts';

const programs = findPostgresWithTools('backup, passwords and new versions on PostgreSQL');
const describePostgres = programs === undefined ? describe.skip : describe;
const createPlace = () => createPostgresWorkspace(programs ?? '');

describePostgres('PostgreSQL, as in docs/operate', () => {
  const [setUp = ''] = stepsUnder('postgresql.md', 'PostgreSQL', 1);

  /** A PostgreSQL without the role and the database that the pages create. */
  async function createEmptyPlace() {
    const place = await createPlace();
    await place.postgres.query('DROP DATABASE animals');
    await place.postgres.query('DROP ROLE store');
    return place;
  }

  test('gets its role and its database on an empty cluster, and a server starts on it', async () => {
    await using place = await createEmptyPlace();
    await place.run(setUp, { STORE_PASSWORD });
    const server = await place.start();
    expect((await server.add(await place.createKey(), 'Rex')).status).toBe(201);
    const owner = "SELECT rolname FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba WHERE datname = 'animals'";
    expect(await place.postgres.query(owner)).toEqual([['store']]);
  });

  test('is backed up while animals are added, and restored into another database', async () => {
    const [backup = ''] = stepsUnder('postgresql.md', 'Back up', 1);
    const [restore = ''] = stepsUnder('postgresql.md', 'Restore', 1);
    await using place = await createPlace();
    const server = await place.start();
    const key = await place.createKey();
    const { acknowledged, stop } = await addAnimals(server, key);
    const before = acknowledged.length;
    await place.run(backup);
    await stop();
    await place.run(restore);

    const restored = await place.start({ DATABASE_URL: place.urlFor('store', STORE_PASSWORD, 'animals_restored') });
    const names = await restored.names(key);
    expect(names).toEqual(acknowledged.slice(0, names.length));
    expect(names.length).toBeGreaterThanOrEqual(Math.min(before, 100));
    const { status, body } = await restored.add(key, 'after the restore');
    expect(status).toBe(201);
    // New IDs continue after the restored ones.
    expect(body.id).toBeGreaterThan(names.length);
  });

  test('gets a new password while servers are connected, and they keep working until the old one is revoked', async () => {
    const [changed = '', ended = ''] = stepsUnder('postgresql.md', 'Change the password', 2);
    await using place = await createPlace();
    const old = await place.start();
    const key = await place.createKey();
    await place.run(changed, { NEW_PASSWORD: 'another' });
    const url = place.urlFor('store_2', 'another', 'animals');
    const fresh = await place.start({ DATABASE_URL: url });
    expect((await old.add(key, 'by the old one')).status).toBe(201);
    expect((await fresh.add(key, 'by the new one')).status).toBe(201);
    old.kill('SIGTERM');
    expect(await old.ended).toBe(0);
    await place.run(ended);
    await expect(place.start()).rejects.toThrow('does not allow this user to connect');
    // A later version finds all tables owned by one role, and can change them.
    writeMigration(place, 'postgres/*-later.sql', 'CREATE TABLE later (id bigint);');
    const later = await place.start({ DATABASE_URL: url });
    expect(await later.names(key)).toEqual(['by the old one', 'by the new one']);
    const owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'";
    expect(await place.postgres.query(owners, 'animals')).toEqual([['store']]);
  });

  test('is migrated by its owner, and used by servers whose role cannot change tables', async () => {
    const [grant = '', migrate = ''] = stepsUnder('postgresql.md', 'Migrate with a separate role', 2);
    await using place = await createPlace();
    await place.run(grant, { APP_PASSWORD: 'rows' });
    const app = { DATABASE_URL: place.urlFor('app', 'rows', 'animals'), MIGRATE: 'never' };
    await expect(place.start(app)).rejects.toThrow('npm run migrate');
    expect(await place.run(migrate, { OWNER_URL: place.urlFor('store', STORE_PASSWORD, 'animals') })).toContain('.sql');
    const server = await place.start(app);
    expect((await server.add(await place.createKey(), 'Rex')).status).toBe(201);
    await expect(place.postgres.query('SET ROLE app; DROP TABLE pets', 'animals')).rejects.toThrow('must be owner');
  });
});

describePostgres('a new version with other tables, as in docs/operate', () => {
  const [wayBack = ''] = stepsUnder('upgrades.md', 'Roll back', 1);
  const [migration = ''] = sqlUnder('upgrades.md', 'Change tables', 2);

  test('starts while the old one keeps working; rolling back removes what was added', async () => {
    await using place = await createPlace();
    const { DATABASE_URL = '' } = place.environment;
    const old = await startProcess({ NODE_ENV: 'production', DATABASE_URL });
    try {
      const key = await place.createKey();
      writeMigration(place, 'postgres/*-colour.sql', migration);
      const fresh = await place.start();
      expect(await place.postgres.query(columns, 'animals')).toEqual([['colour']]);
      expect((await fresh.add(key, 'by the new one')).status).toBe(201);
      expect(await serverCalls(old.url).statusFor(key)).toBe(200);
      await expect(startProcess({ NODE_ENV: 'production', DATABASE_URL })).rejects.toThrow('newer than this program');

      fresh.kill('SIGTERM');
      await fresh.ended;
      await place.run(wayBack);
      expect(await place.postgres.query(columns, 'animals')).toEqual([]);
      const again = await startProcess({ NODE_ENV: 'production', DATABASE_URL });
      expect(await serverCalls(again.url).statusFor(key)).toBe(200);
      await again.end('SIGTERM');
    } finally {
      await old.end('SIGKILL');
    }
  });
});

const columns = "SELECT column_name FROM information_schema.columns WHERE column_name = 'colour'";
