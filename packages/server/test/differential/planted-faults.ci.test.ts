import { expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { Storage } from '../../src/operations/storage/index.ts';
import { checkEngines, differentialFailureText } from './check.ts';
import { type StartServer, startUsual } from './side.ts';

/** A server whose storage has a fault on PostgreSQL only. */
function onPostgres(plant: (storage: Storage) => Partial<Storage>): StartServer {
  return (storage, now, engine) =>
    startUsual(engine === 'postgres' ? { ...storage, ...plant(storage) } : storage, now, engine);
}

describeOnPostgres('a fault in one engine is detected:', (postgres) => {
  test('the activity of keys is lost if one batch has calls of two days', async () => {
    const start = onPostgres(({ keys }) => ({
      keys: {
        ...keys,
        addActivity: async (records) => {
          const names = new Set(records.map(({ keyId, operation }) => `${keyId} ${operation}`));
          const cause = new Error('ON CONFLICT DO UPDATE command cannot affect row a second time');
          if (names.size < records.length) throw new StorageUnavailableError(cause);
          await keys.addActivity(records);
        },
      },
    }));
    const { failure } = await checkEngines(postgres, { runs: 20, first: 7, seed: 1, start, maxShrinkRuns: 30 });
    if (failure === undefined) throw new Error('The fault was not found.');
    expect(failure.problems.join('\n')).toMatch(/key_days .*: sqlite has \d+, postgres 0/);
    const text = differentialFailureText(failure);
    expect(text).toContain(`repeat with: npm run differential -- --seed 1 --only ${failure.run}`);
  }, 120_000);
});
