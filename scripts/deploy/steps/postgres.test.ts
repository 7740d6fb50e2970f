import { describe, expect, test } from '@jest/globals';
import { startProcess } from '../../../packages/server/test/process.ts';
import { eventually } from '../../testing/child.ts';
import { sqlUnder, stepsUnder } from './operate-steps.ts';
import {
  addMeanwhile,
  callsTo,
  createPostgresWorkplace,
  findPostgresWithTools,
  STORE_PASSWORD,
  writeMigration,
} from './place.ts';

const programs = findPostgresWithTools('backup, passwords and new versions on PostgreSQL');
const describePostgres = programs === undefined ? describe.skip : describe;
const createPlace = () => createPostgresWorkplace(programs ?? '');

describePostgres('PostgreSQL, as docs/operate.md says', () => {
  test('is backed up while animals are added, and restored into a database beside it', async () => {
    const [backup = '', restore = ''] = stepsUnder('PostgreSQL by its own programs');
    await using place = await createPlace();
    const server = await place.start();
    const key = await place.createKey();
    const { acknowledged, stop } = await addMeanwhile(server, key);
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
    // Ids go on after the restored ones.
    expect(body.id).toBeGreaterThan(names.length);
  });

  test('gets another password while servers are in, which lets them go on until the old one ends', async () => {
    const [, , changed = '', ended = ''] = stepsUnder('Changing keys and passwords');
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
    await expect(place.start()).rejects.toThrow('does not let this user in');
    // Whoever comes later finds tables of one owner, and may change them.
    writeMigration(place, 'postgres/*-later.sql', 'CREATE TABLE later (id bigint);');
    const later = await place.start({ DATABASE_URL: url });
    expect(await later.names(key)).toEqual(['by the old one', 'by the new one']);
    const owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'";
    expect(await place.postgres.query(owners, 'animals')).toEqual([['store']]);
  });
});

describePostgres('a new version with other tables, as docs/operate.md says', () => {
  const [index = '', wayBack = ''] = stepsUnder('When tables change');
  const [migration = ''] = sqlUnder('When tables change');

  test('starts beside the old one, which goes on; going back takes away what was added', async () => {
    await using place = await createPlace();
    const { DATABASE_URL = '' } = place.environment;
    const old = await startProcess({ NODE_ENV: 'production', DATABASE_URL });
    try {
      const key = await place.createKey();
      writeMigration(place, 'postgres/*-colour.sql', migration);
      const fresh = await place.start();
      expect(await place.postgres.query(columns, 'animals')).toEqual([['colour']]);
      expect((await fresh.add(key, 'by the new one')).status).toBe(201);
      expect(await callsTo(old.url).statusFor(key)).toBe(200);
      await place.run(index);
      await expect(startProcess({ NODE_ENV: 'production', DATABASE_URL })).rejects.toThrow('newer than this program');

      fresh.kill('SIGTERM');
      await fresh.ended;
      await place.run(wayBack);
      expect(await place.postgres.query(columns, 'animals')).toEqual([]);
      const again = await startProcess({ NODE_ENV: 'production', DATABASE_URL });
      expect(await callsTo(again.url).statusFor(key)).toBe(200);
      await again.end('SIGTERM');
    } finally {
      await old.end('SIGKILL');
    }
  });

  test('gives up where it would wait with everybody behind it, and starts once the way is free', async () => {
    await using place = await createPlace();
    const server = await place.start();
    const key = await place.createKey();
    // As pg_dump does, for as long as it runs.
    const dump = 'BEGIN; LOCK TABLE pets IN ACCESS SHARE MODE; SELECT pg_sleep(600)';
    const dumped = place.postgres.query(dump, 'animals').catch(() => 'cancelled');
    const dumping = "FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()";
    await eventually(
      async () => (await place.postgres.query(`SELECT pid ${dumping}`)).length === 1,
      () => 'Nobody reads.',
    );
    writeMigration(place, 'postgres/*-colour.sql', migration);
    await expect(place.start()).rejects.toThrow('another process holds them; try again');
    expect(await server.statusFor(key)).toBe(200);
    await place.postgres.query(`SELECT pg_cancel_backend(pid) ${dumping}`);
    expect(await dumped).toBe('cancelled');
    const fresh = await place.start();
    expect((await fresh.add(key, 'Rex')).status).toBe(201);
  });
});

const columns = "SELECT column_name FROM information_schema.columns WHERE column_name = 'colour'";
