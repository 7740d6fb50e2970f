import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../testing/src/child.ts';
import { freePort } from '../../../testing/src/listen.ts';
import { allPets } from '../faults/store.ts';
import { callOperation, temporaryDatabase } from '../harness.ts';
import { startProcess } from '../process.ts';
import { callThrough, findNginx, startNginx } from './balancer/nginx.ts';
import {
  addAnimals,
  createPostgresWorkspace,
  createWorkspace,
  findPostgresWithTools,
  STORE_PASSWORD,
  serverCalls,
  sqlUnder,
  stepsUnder,
  writeMigration,
} from './operate-steps.ts';

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

const nginx = findNginx();
const describeNginx = nginx === undefined ? describe.skip : describe;

/** Callers that create animals one after another, over keep-alive connections. */
const CALLERS = 10;

describeNginx('a rolling update, as in docs/operate', () => {
  const [steps = ''] = stepsUnder('upgrades.md', 'With nginx', 1);
  const change = sqlUnder('upgrades.md', 'Change tables', 2)[0]?.replace(/^SET LOCAL.*\n/, '') ?? '';

  test('loses no request under load, although its tables differ', async () => {
    await using stack = new AsyncDisposableStack();
    const database = await temporaryDatabase();
    stack.defer(database.remove);
    const environment = {
      DATABASE_URL: database.url,
      NODE_ENV: 'production',
      TRUST_PROXY: '1',
      DRAIN_DELAY_SECONDS: '1',
    };
    const place = stack.use(createWorkspace(environment));
    const ports = [await freePort(), await freePort()] as const;
    const old = await Promise.all(ports.map((port) => startProcess({ ...environment, PORT: String(port) })));
    stack.defer(async () => void (await Promise.all(old.map((server) => server.end('SIGKILL')))));
    // nginx starts after the servers, because it would otherwise treat them as down for a second.
    const balancer = stack.use(await startNginx(nginx ?? '', [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`]));
    const key = await place.createKey();
    // The workspace contains the new version.
    writeMigration(place, 'sqlite/*-colour.sql', change);

    const load = startLoad(balancer.url, key);
    stack.defer(async () => void (await load.stop()));
    for (const [index, server] of old.entries()) {
      await load.progress();
      const number = String(index + 1);
      await place.run(`echo ${server.child.pid} >server-${number}.pid`);
      stack.defer(async () => void (await place.run(killStarted(number))));
      const ofThis = steps.replaceAll('server-1', `server-${number}`).replaceAll('3001', String(ports[index]));
      await place.run(ofThis, { STATE: balancer.state });
      expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }
    await load.progress();
    const statuses = await load.stop();
    expect([new Set(statuses), refusals(balancer.log())]).toEqual([new Set([201]), []]);

    // Both new servers have handled requests, and every animal exists once.
    for (const number of [1, 2]) {
      expect(readFileSync(join(place.folder, `server-${number}.log`), 'utf8')).toContain('"operation":"createPet"');
    }
    const list = (query: string) => callOperation(`http://127.0.0.1:${ports[0]}`, key, 'listPets', { query });
    expect(await allPets(list)).toHaveLength(statuses.length);
  });
});

/** The lines about failed requests in the log of nginx. */
function refusals(log: string): string[] {
  return log.split('\n').filter((line) => /"status":[45]/.test(line));
}

/** Kills the server whose process ID the steps have written, if it was started. */
function killStarted(number: string): string {
  return `kill -KILL "$(cat server-${number}.pid)" 2>/dev/null || true`;
}

function startLoad(url: string, key: string) {
  const statuses: (number | string)[] = [];
  let isRunning = true;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (isRunning) {
      const body = { name: `pet ${statuses.length}`, categoryId: 1 };
      const sent = callThrough(url, key, 'createPet', { body });
      statuses.push(await sent.then(({ status }) => status).catch((error: Error) => String(error.cause ?? error)));
    }
  });
  return {
    /** Resolves after a hundred more responses. */
    progress: async () => {
      const before = statuses.length;
      await eventually(
        () => statuses.length >= before + 100,
        () => 'No requests succeed.',
      );
    },
    stop: async () => {
      isRunning = false;
      await Promise.all(callers);
      return statuses;
    },
  };
}
