import { banRules, plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { memoryDatabaseUrl } from '../../../service/src/storage/open.ts';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { startTestServer } from '../harness.ts';

test('a ban that cannot be saved is answered with 503 until it is saved, and then with key_banned', async () => {
  const storage = await openStorage(memoryDatabaseUrl);
  let isDiskFull = false;
  const usage: typeof storage.usage = {
    ...storage.usage,
    save: (records) =>
      isDiskFull ? Promise.reject(new StorageUnavailableError('the disk is full')) : storage.usage.save(records),
  };
  await using server = await startTestServer({ storage: { ...storage, usage } });
  const key = await server.createKey('free');
  const list = () => server.call('listPets', { key });
  for (let request = 0; request <= plans.free.perMinute; request += 1) await list();
  server.clock.now += banRules.graceSeconds * 1_000;
  for (let refusal = 0; refusal < banRules.toleratedRefusals; refusal += 1) await list();

  isDiskFull = true;
  for (const response of [await list(), await list(), await list()]) {
    expect(response).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  }
  isDiskFull = false;
  expect(await list()).toMatchObject({ status: 429, body: { code: 'key_banned' } });
  expect(await storage.usage.load(0, 0)).toMatchObject([{ bans: 1 }]);
});
