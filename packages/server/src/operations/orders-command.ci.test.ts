import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { startTestServer, temporaryDatabase } from '../../test/harness.ts';

/** Leaves out the line that names the database; a test reads it. */
async function runOrders(databaseUrl: string, ...args: string[]) {
  const child = startOrders(databaseUrl, ...args);
  const code = await child.ended;
  return { code, output: child.output().replace(/^Database: \S+\n/, '') };
}

function startOrders(databaseUrl: string, ...args: string[]) {
  return runNode(import.meta.dirname, ['../main.ts', 'orders', ...args], { DATABASE_URL: databaseUrl });
}

function describeCommand(makeDatabase: () => Promise<{ url: string; remove?: () => Promise<void> }>): void {
  test('frees the animals of a revoked key while the server runs', async () => {
    const { url, remove } = await makeDatabase();
    {
      await using server = await startTestServer({ databaseUrl: url });
      const { key, secret } = await server.keys.create({ plan: 'business' });
      for (const name of ['Rex', 'Mia', 'Ada']) {
        const { body: pet } = await server.call('createPet', { body: { name, categoryId: 1, status: 'available' } });
        const { status } = await server.call('createOrder', { key: secret, body: { petId: pet.id } });
        expect(status).toBe(201);
      }
      await server.keys.revoke(key.id);
      const order = (petId: number) => server.call('createOrder', { body: { petId } });
      expect((await order(1)).status).toBe(409);
      const listed = await runOrders(url, 'list', key.id);
      expect(listed.output.match(/^\d+\t\d+\t2026-12-02T12:00:10\.000Z$/gm)).toHaveLength(3);
      expect(await runOrders(url, 'cancel', key.id, '1')).toEqual({
        code: 0,
        output: 'Order 1 was cancelled. Animal 1 is available again.\n',
      });
      expect((await order(1)).status).toBe(201);
      expect((await order(2)).status).toBe(409);
      expect(await runOrders(url, 'cancel', key.id, '1')).toMatchObject({ code: 1 });
      expect((await runOrders(url, 'cancel', key.id, '--all')).output.split('\n')).toHaveLength(3);
      expect((await order(2)).status).toBe(201);
      expect((await runOrders(url, 'list', key.id)).output).toContain('has no placed orders');
      expect(await runOrders(url, 'list', 'key_unknown')).toMatchObject({ code: 1 });
    }
    const named = startOrders(url, 'list', 'key_unknown');
    await named.ended;
    expect(named.output()).toMatch(/^Database: (sqlite:\/|postgres:\/\/[^@]+$)/m);
    await remove?.();
  });
}

test('npm run jobs runs a job, and says which there are', async () => {
  const { url, remove } = await temporaryDatabase();
  await using server = await startTestServer({ databaseUrl: url });
  const runJobs = async (...args: string[]) => {
    const child = runNode(import.meta.dirname, ['../main.ts', 'jobs', ...args], { DATABASE_URL: url });
    return { code: await child.ended, output: child.output() };
  };
  expect(await runJobs('run', 'cleanUp')).toEqual({ code: 2, output: 'Pass run and a job: expireOrders.\n' });
  expect(await runJobs('run', 'expireOrders')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/"job":"expireOrders".*"msg":"job done"/),
  });
  await server.stop();
  await remove();
});

describe('npm run orders on SQLite', () => describeCommand(temporaryDatabase));
describeOnPostgres('npm run orders on PostgreSQL', (postgres) => {
  describeCommand(async () => ({ url: await postgres.freshUrl() }));
});

test.each([
  [['--help'], 0, 'Usage:'],
  [[], 2, 'Pass list KEY_ID'],
  [['cancel', 'key_1'], 2, 'Pass list KEY_ID'],
  [['cancel', 'key_1', 'one'], 2, 'Pass list KEY_ID'],
  [['cancel', 'key_1', '1', '--all'], 2, 'Pass list KEY_ID'],
  [['list', 'key_1', '--none'], 2, 'not valid'],
])('npm run orders %j exits with %i', async (args, code, text) => {
  const ended = await runOrders(`sqlite:${join('data', 'missing.db')}`, ...args);
  expect(ended).toEqual({ code, output: expect.stringContaining(text) });
});
