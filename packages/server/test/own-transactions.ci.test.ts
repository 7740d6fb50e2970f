import { setTimeout } from 'node:timers/promises';
import { contract } from '@animal-store/contract/service';
import { afterAll, describe, expect, test } from '@jest/globals';
import { timeouts } from '../../service/src/common/time.ts';
import type { Operation } from '../../service/src/openapi/operation.ts';
import { StorageUnavailableError } from '../../service/src/storage/storage.ts';
import { waitLong } from '../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../testing/src/postgres/in-tests.ts';
import { api } from '../src/operations/api.ts';
import { operations } from '../src/operations/index.ts';
import type { PetStore } from '../src/operations/storage/store.ts';
import { gate } from '../src/operations/storage/suite/engine.ts';
import { newIdempotencyKey, startTestServer, type TestServer, temporaryDatabase } from './harness.ts';

const createPetFacts = { ...contract.operations.createPet, transaction: 'own' } as const;
const ownContract = { ...contract, operations: { ...contract.operations, createPet: createPetFacts } };
type CreatePet = Operation<typeof ownContract, 'createPet', PetStore>;

const rex = { name: 'Rex', categoryId: 3 };

/** Adds a pet, asks another service about it, and stores the answer. */
const createWith =
  (ask: (idempotencyKey: string | undefined) => Promise<'available' | 'sold'>): CreatePet =>
  async ({ body, transaction, idempotencyKey }) => {
    const { id } = await transaction((storage) => storage.addPet(body));
    const status = await ask(idempotencyKey);
    const pet = await transaction(async (storage) => {
      await storage.setPetStatus(id, status);
      return storage.findPet(id);
    });
    if (pet === undefined) throw new Error('The pet is gone.');
    return { status: 201, body: pet, headers: { Location: `/v1/pets/${id}` } };
  };

const start = (databaseUrl: string, createPet: CreatePet) =>
  startTestServer({
    databaseUrl,
    service: { ...api, contract: ownContract, operations: { ...operations, createPet } },
  });
const countPets = async (server: TestServer) => (await server.call('listPets', { query: { limit: 100 } })).body.length;

function describeOwnTransactions(freshUrl: () => Promise<string>): void {
  test('leave other writers alone in between, and a retry gets the first response', async () => {
    using _ = waitLong();
    const [asked, answer] = [gate(), gate()];
    let calls = 0;
    await using server = await start(
      await freshUrl(),
      createWith(async () => {
        calls += 1;
        asked.open();
        await answer.opened;
        return 'sold';
      }),
    );
    const call = { body: rex, headers: { 'idempotency-key': newIdempotencyKey() } };
    const first = server.call('createPet', call);
    await asked.opened;
    const [{ id }] = (await server.call('listPets')).body;
    const other = { path: { petId: id }, headers: { 'if-match': '*' }, body: { name: 'Max' } };
    expect((await server.call('updatePet', other)).status).toBe(200);
    expect((await server.call('createPet', call)).body.code).toBe('idempotency_key_in_use');
    answer.open();
    const { status, text } = await first;
    expect([status, JSON.parse(text)]).toEqual([201, { ...rex, name: 'Max', id, status: 'sold' }]);
    const retry = await server.call('createPet', call);
    expect([retry.text, retry.headers.get('idempotency-replayed')]).toEqual([text, 'true']);
    const reused = await server.call('createPet', { ...call, body: { ...rex, categoryId: 4 } });
    expect(reused.body.code).toBe('idempotency_key_reused');
    expect([calls, await countPets(server)]).toEqual([1, 1]);
  });

  test('run again with the same key on another server, if theirs has ended in between', async () => {
    using _ = waitLong();
    const databaseUrl = await freshUrl();
    const asked = gate();
    const never = Promise.withResolvers<'sold'>();
    await using dead = await start(
      databaseUrl,
      createWith(() => {
        asked.open();
        return never.promise;
      }),
    );
    const seen: unknown[] = [];
    await using other = await start(
      databaseUrl,
      createWith(async (key) => {
        seen.push(key);
        return 'sold';
      }),
    );
    const key = newIdempotencyKey();
    const call = { body: rex, headers: { 'idempotency-key': key }, key: dead.key };
    const first = dead.call('createPet', call);
    await asked.opened;
    const again = await other.call('createPet', call);
    expect([again.status, seen]).toEqual([201, [key]]);
    expect((await other.call('createPet', call)).text).toBe(again.text);
    never.resolve('sold');
    await first;
  });

  test('are rolled back if the operation returns before they end, and a retry runs it again', async () => {
    using _ = waitLong();
    const opened = gate();
    const left: Promise<unknown>[] = [];
    const createPet = createWith(async () => 'sold');
    let isCareless = true;
    await using server = await start(await freshUrl(), async (call) => {
      if (!isCareless) return createPet(call);
      const forgotten = call.transaction(async (storage) => {
        const pet = await storage.addPet(call.body);
        opened.open();
        await setTimeout(50);
        return pet;
      });
      left.push(forgotten.catch(() => {}));
      await opened.opened;
      return { status: 201, body: { ...rex, id: 1 }, headers: { Location: '/v1/pets/1' } };
    });
    const call = { body: rex, headers: { 'idempotency-key': newIdempotencyKey() } };
    expect((await server.call('createPet', call)).body.code).toBe('internal_error');
    expect(server.log()).toContain('The code returned while a transaction was open. Await each transaction(…).');
    await Promise.all(left);
    expect(await countPets(server)).toBe(0);
    isCareless = false;
    expect((await server.call('createPet', call)).status).toBe(201);
  });

  test('that fail after a commit do not claim that nothing was changed', async () => {
    using _ = waitLong();
    const fail = () => Promise.reject(new StorageUnavailableError(new Error('It is away.')));
    await using server = await start(await freshUrl(), createWith(fail));
    const { status, body } = await server.call('createPet', { body: rex });
    expect([status, body.message]).toEqual([503, expect.stringContaining('may or may not have taken effect')]);
  });

  test('of an operation with a streamed body do not claim it either', async () => {
    using _ = waitLong();
    const { requestBody } = contract.operations.createPet;
    const media = { ...requestBody.mediaTypes['application/json'], kind: 'text', stream: true } as const;
    const facts = {
      ...contract.operations.createPet,
      requestBody: { ...requestBody, mediaTypes: { 'text/plain': media } },
    };
    const streamed = { ...contract, operations: { ...contract.operations, createPet: facts } };
    const createPet = () => Promise.reject(new StorageUnavailableError(new Error('It is away.')));
    await using server = await startTestServer({
      databaseUrl: await freshUrl(),
      service: { ...api, contract: streamed, operations: { ...operations, createPet } },
    });
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'text/plain' };
    const response = await fetch(`${server.url}/v1/pets`, { method: 'POST', headers, body: 'Rex' });
    expect([response.status, (await response.json()).message]).toEqual([
      503,
      expect.stringContaining('may or may not have taken effect'),
    ]);
  });

  test('are for what takes long: in the transaction of an operation, the log names the operation', async () => {
    using _ = waitLong();
    Object.assign(timeouts, { idleInTransaction: 3_000 });
    const createPet: typeof operations.createPet = async (call) => {
      await operations.createPet(call);
      await setTimeout(3_500);
      return operations.createPet(call);
    };
    const options = { databaseUrl: await freshUrl(), operations: { ...operations, createPet } };
    await using server = await startTestServer(options);
    expect((await server.call('createPet', { body: rex })).status).toBe(503);
    const line =
      server
        .log()
        .split('\n')
        .find((each) => each.includes('"unavailable"')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      unavailable: 'a transaction stayed open too long',
      operation: 'createPet',
    });
    expect(await countPets(server)).toBe(0);
  });
}

describe('own transactions on SQLite', () => {
  const databases: Awaited<ReturnType<typeof temporaryDatabase>>[] = [];
  afterAll(() => Promise.all(databases.map(({ remove }) => remove())));
  describeOwnTransactions(async () => {
    const database = await temporaryDatabase();
    databases.push(database);
    return database.url;
  });
});
describeOnPostgres('own transactions on PostgreSQL', (postgres) => {
  describeOwnTransactions(() => postgres.freshUrl());
});
