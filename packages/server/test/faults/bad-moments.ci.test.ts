import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { setReplica } from '../../../testing/src/postgres/server.ts';
import {
  newIdempotencyKey,
  startTestServer,
  type TestResponse,
  type TestServer,
  temporaryDatabase,
} from '../harness.ts';

const HOUR = 3_600_000;
const rex = { name: 'Rex', categoryId: 3, status: 'available' };

/** A database of one engine, as an operator reaches it without the server. */
type DirectAccess = {
  url: string;
  run: (...statements: string[]) => Promise<void>;
  /** Makes every write wait until the lock is released. */
  lock: () => Promise<{ release: () => Promise<void> }>;
  remove: () => Promise<void>;
};

async function accessSqlite(): Promise<DirectAccess> {
  const { url, path, remove } = await temporaryDatabase();
  return {
    url,
    remove,
    async run(...statements) {
      using database = new DatabaseSync(path);
      for (const statement of statements) database.exec(statement);
    },
    async lock() {
      const database = new DatabaseSync(path);
      database.exec('BEGIN IMMEDIATE');
      return { release: async () => database.close() };
    },
  };
}

async function accessPostgres(url: string): Promise<DirectAccess> {
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  return {
    url,
    remove: async () => {},
    async run(...statements) {
      const client = await connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    },
    async lock() {
      const client = await connect();
      await client.query('BEGIN; LOCK TABLE pets IN EXCLUSIVE MODE');
      return { release: () => client.end() };
    },
  };
}

function expectTemporary(response: TestResponse): void {
  expect([response.status, response.body.code]).toEqual([503, 'service_unavailable']);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

function describeBadMoments(freshDatabase: () => Promise<DirectAccess>): void {
  const names = async (server: TestServer): Promise<string[]> => {
    const { body } = await server.call('listPets', { query: { limit: 100 } });
    return body.map(({ name }: { name: string }) => name);
  };

  test('a write that waited too long for a lock is never carried out later, and its retry is carried out once', async () => {
    const database = await freshDatabase();
    await using server = await startTestServer({ databaseUrl: database.url });
    const create = (name: string, idempotencyKey: string) =>
      server.call('createPet', { body: { ...rex, name }, headers: { 'idempotency-key': idempotencyKey } });
    expect((await create('first', newIdempotencyKey())).status).toBe(201);
    const lock = await database.lock();
    const late = Array.from({ length: 5 }, (_, index) => ({ name: `late ${index}`, key: newIdempotencyKey() }));
    const refused = await Promise.all(late.map(({ name, key }) => create(name, key)));
    await lock.release();
    for (const response of refused) {
      expectTemporary(response);
      expect(response.body.message).toContain('Nothing was changed');
    }
    await setTimeout(200);
    expect(await names(server)).toEqual(['first']);
    for (const { name, key } of late) {
      const retried = await create(name, key);
      expect([retried.status, retried.headers.get('idempotency-replayed')]).toEqual([201, null]);
      const again = await create(name, key);
      expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([retried.body, 'true']);
    }
    expect(await names(server)).toEqual(['first', ...late.map(({ name }) => name)]);
    await server.stop();
    await database.remove();
  });

  test('a clock that jumps back an hour fails no call, loses nothing, repeats nothing and gives no second quota', async () => {
    const database = await freshDatabase();
    // Half an hour after midnight, so that the jump leads into the day before.
    const now = Date.parse('2026-12-02T00:30:10Z');
    const server = await startTestServer({ databaseUrl: database.url, now });
    const { key: record, secret: key } = await server.keys.create({ plan: 'business' });
    const free = await server.createKey('free');
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const create = () => server.call('createPet', { key, body: rex, headers });
    const created = await create();
    const petId = created.body.id;
    const ordered = await server.call('createOrder', { key, body: { petId } });
    for (let count = 0; count < 60; count += 1) await server.call('listPets', { key: free });
    expect((await server.call('listPets', { key: free })).status).toBe(429);

    server.clock.now -= HOUR;
    expect((await server.call('listPets', { key: free })).status).toBe(429);
    const again = await create();
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([created.body, 'true']);
    const orderId = ordered.body.id;
    const etag = (await server.call('getPet', { key, path: { petId } })).headers.get('etag') ?? '';
    const calls = [
      await server.call('listPets', { key }),
      await server.call('getKey', { key }),
      await server.call('listOrders', { key }),
      await server.call('getOrder', { key, path: { orderId } }),
      await server.call('updatePet', { key, path: { petId }, body: { name: 'Max' }, headers: { 'if-match': etag } }),
      await server.call('cancelOrder', { key, path: { orderId } }),
      await server.call('createOrder', { key, body: { petId } }),
      await server.call('createPet', { key, body: rex }),
    ];
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 201, 201]);
    const { secret: rotated } = await server.keys.rotate(record.id, HOUR);
    for (const secret of [key, rotated]) expect((await server.call('getKey', { key: secret })).status).toBe(200);
    const { log } = server;
    await server.stop();
    expect(log()).not.toMatch(/"level":(40|50)/);

    await using next = await startTestServer({ databaseUrl: database.url, now: now - HOUR });
    expect((await next.call('listPets', { key: free })).status).toBe(429);
    expect((await next.call('listOrders', { key })).body).toHaveLength(2);
    await next.stop();
    await database.remove();
  });
}

describe('on SQLite,', () => describeBadMoments(accessSqlite));

describeOnPostgres('on PostgreSQL,', (postgres) => {
  describeBadMoments(async () => accessPostgres(await postgres.freshUrl()));

  test('a commit whose answer comes after the timeout is not called undone, and a retry gets its response', async () => {
    await using server = await startTestServer({ databaseUrl: await postgres.freshUrl() });
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const create = () => server.call('createPet', { body: rex, headers });
    await setReplica(postgres, 'gone');
    try {
      const late = await create();
      expectTemporary(late);
      expect(late.body.message).not.toContain('Nothing was changed');
      // The first one still holds the lock of its Idempotency-Key, so this one has changed nothing.
      expectTemporary(await create());
      expect((await server.call('listPets')).body).toEqual([]);
    } finally {
      await setReplica(postgres, '');
    }
    let retried = await create();
    const isStored = async () => {
      retried = await create();
      return retried.status === 201;
    };
    // PostgreSQL reads its configuration within a moment.
    await eventually(isStored, server.log);
    expect([retried.status, retried.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect((await server.call('listPets')).body).toEqual([retried.body]);
  });
});
