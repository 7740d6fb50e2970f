import { plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { NOON, startTestServer, type TestServer, temporaryDatabase } from '../harness.ts';

const SECOND = 1_000;
const YEAR = 365 * 86_400 * SECOND;

async function sendUntilRefused(server: TestServer, key: string): Promise<number> {
  for (let count = 0; count < 200; count += 1)
    if ((await server.call('listPets', { key })).status === 429) return count;
  throw new Error('Never refused.');
}

test('a clock that ran a year ahead and is corrected gives no second quota and locks no caller out, across a restart too', async () => {
  const database = await temporaryDatabase();
  const ahead = await startTestServer({ databaseUrl: database.url, now: NOON + YEAR });
  const key = await ahead.createKey('free');
  expect(await sendUntilRefused(ahead, key)).toBe(plans.free.perMinute);
  ahead.clock.now = NOON;
  expect((await ahead.call('listPets', { key })).status).toBe(429);
  await ahead.stop();
  await using right = await startTestServer({ databaseUrl: database.url });
  const refused = await right.call('listPets', { key });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50']);
  right.clock.now += 50 * SECOND;
  expect((await right.call('listPets', { key })).status).toBe(200);
  await right.stop();
  await database.remove();
});

test('setting the clock back ends no key early, and does not make a revoked key valid again', async () => {
  await using server = await startTestServer();
  const { key, secret } = await server.keys.create({ plan: 'free' });
  await server.keys.revoke(key.id);
  server.clock.now = NOON - YEAR;
  expect((await server.call('listPets', { key: secret })).status).toBe(401);
  expect((await server.call('listPets')).status).toBe(200);
});
