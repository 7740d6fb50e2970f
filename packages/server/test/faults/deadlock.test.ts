import { afterEach, describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../service/src/openapi/api-error.ts';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { operations } from '../../src/operations/index.ts';
import { gate } from '../../src/operations/storage/suite/engine.ts';
import { startTestServer, type TestOptions, type TestServer } from '../harness.ts';

const rex = { name: 'Rex', categoryId: 3 };
const headers = { 'if-match': '*' };

let server: TestServer;
afterEach(() => server.stop());

type UpdatePet = typeof operations.updatePet;

async function start(updatePet: UpdatePet, options: TestOptions = {}): Promise<void> {
  server = await startTestServer({ ...options, operations: { ...operations, updatePet } });
}

async function addPet(): Promise<number> {
  return (await server.call('createPet', { body: rex })).body.id;
}

const rename = (petId: number, more: Record<string, string> = {}) =>
  server.call('updatePet', { path: { petId }, headers: { ...headers, ...more }, body: { name: 'Rexi' } });

/** The work after a commit starts after the response, so a further request has to be answered first. */
async function settle(): Promise<void> {
  await server.call('listPets');
}

describe('work that an operation leaves for the time after its commit', () => {
  test('runs once, in order, when others can see the change', async () => {
    const done: string[] = [];
    const names: Promise<string>[] = [];
    const seen = gate();
    await start((call) => {
      call.afterCommit(() => void done.push('first'));
      call.afterCommit(() => {
        done.push('second');
        names.push(server.call('listPets', { query: { id: call.path.petId } }).then(({ body }) => body[0].name));
        seen.open();
      });
      return operations.updatePet(call);
    });
    expect((await rename(await addPet())).status).toBe(200);
    await seen.opened;
    expect(done).toEqual(['first', 'second']);
    expect(await Promise.all(names)).toEqual(['Rexi']);
  });

  test('does not run if the operation returns an error or throws', async () => {
    const runs: string[] = [];
    let end: () => ApiError<'pet_not_found'> = () => new ApiError('pet_not_found', 'No animal has the ID 1.');
    await start(async (call) => {
      await operations.updatePet(call);
      call.afterCommit(() => void runs.push('run'));
      return end();
    });
    const petId = await addPet();
    expect((await rename(petId)).status).toBe(404);
    end = () => {
      throw new Error('It fails.');
    };
    expect((await rename(petId)).status).toBe(500);
    await settle();
    expect(runs).toEqual([]);
  });

  test('only logs its errors, and the work after it runs', async () => {
    const seen = gate();
    await start((call) => {
      call.afterCommit(() => Promise.reject(new Error('The mail server is away.')));
      call.afterCommit(() => seen.open());
      return operations.updatePet(call);
    });
    expect((await rename(await addPet())).status).toBe(200);
    await seen.opened;
    expect(server.log()).toContain('The mail server is away.');
  });
});

describeOnPostgres('two operations that block each other', (postgres) => {
  test('run three times in all, and each leaves its work once', async () => {
    using _ = waitLong();
    let executions = 0;
    let locked = 0;
    const committed: number[] = [];
    const bothLocked = gate();
    const pets: number[] = [];
    const updatePet: UpdatePet = async (call) => {
      executions += 1;
      const { petId } = call.path;
      call.afterCommit(() => void committed.push(petId));
      await call.storage.findPet(petId);
      locked += 1;
      if (locked === 2) bothLocked.open();
      await bothLocked.opened;
      await call.storage.findPet(pets.find((other) => other !== petId) ?? 0);
      return operations.updatePet(call);
    };
    // PostgreSQL looks for deadlocks long before a statement times out, however slow the machine is.
    const options = encodeURIComponent(' -c deadlock_timeout=100');
    await start(updatePet, { databaseUrl: `${await postgres.freshUrl()}${options}` });
    pets.push(await addPet(), await addPet());
    const responses = await Promise.all(pets.map((petId) => rename(petId)));
    await settle();
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(executions).toBe(3);
    expect(committed.toSorted()).toEqual(pets);
  });
});
