import { expect, test } from '@jest/globals';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { operations } from '../../src/operations/index.ts';
import { gate } from '../../src/operations/storage/suite/engine.ts';
import { startTestServer } from '../harness.ts';

describeOnPostgres('two operations that block each other', (postgres) => {
  test('both succeed, because one of them runs again', async () => {
    using _ = waitLong();
    let executions = 0;
    const bothLocked = gate();
    const pets: number[] = [];
    const updatePet: typeof operations.updatePet = async (call) => {
      await call.storage.findPet(call.path.petId);
      executions += 1;
      if (executions === 2) bothLocked.open();
      await bothLocked.opened;
      await call.storage.findPet(pets.find((other) => other !== call.path.petId) ?? 0);
      return operations.updatePet(call);
    };
    // PostgreSQL looks for deadlocks long before a statement times out, however slow the machine is.
    const options = encodeURIComponent(' -c deadlock_timeout=100');
    const databaseUrl = `${await postgres.freshUrl()}${options}`;
    await using server = await startTestServer({ databaseUrl, operations: { ...operations, updatePet } });
    const addPet = async () => (await server.call('createPet', { body: { name: 'Rex', categoryId: 3 } })).body.id;
    pets.push(await addPet(), await addPet());
    const call = { headers: { 'if-match': '*' }, body: { name: 'Rexi' } };
    const responses = await Promise.all(pets.map((petId) => server.call('updatePet', { ...call, path: { petId } })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(executions).toBe(3);
  });
});
