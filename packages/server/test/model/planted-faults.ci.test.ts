import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../service/src/contract/api-error.ts';
import { type KeyStore, StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { operations } from '../../src/operations/index.ts';
import type { Operations } from '../../src/operations/operation.ts';
import { openStorage, type Transaction } from '../../src/operations/storage/index.ts';
import { startTestServer } from '../harness.ts';
import { checkModel } from './run/check.ts';
import { type ModelFailure, modelFailureText } from './run/failure.ts';
import { type StartServer, startUsual } from './run/subject.ts';

/** The failure that 300 sequences find. */
async function failureAt(start: StartServer, maxShrinkRuns = 0, seed = 7): Promise<ModelFailure> {
  const { failure } = await checkModel({ runs: 300, seed, start, maxShrinkRuns });
  if (failure === undefined) throw new Error('The fault was not found.');
  return failure;
}

const actionsOf = ({ actions }: ModelFailure) => actions.map((action) => action.do);

function withOperations(changed: Partial<Operations>): StartServer {
  const config = { validateResponses: false };
  return ({ url }, now) =>
    startTestServer({ databaseUrl: url, now, config, operations: { ...operations, ...changed } });
}

/** A server whose transactions have a fault. */
function withTransactions(change: (transaction: Transaction) => Partial<Transaction>): StartServer {
  return async ({ url }, now) => {
    const storage = await openStorage(url);
    const transaction: typeof storage.transaction = (work) =>
      storage.transaction((inner) => work({ ...inner, ...change(inner) }));
    return startTestServer({ databaseUrl: url, now, storage: { ...storage, transaction } });
  };
}

/** A server whose keys are stored with a fault. */
function withKeys(change: (keys: KeyStore) => Partial<KeyStore>): StartServer {
  return async ({ url }, now) => {
    const storage = await openStorage(url);
    const keys = { ...storage.keys, ...change(storage.keys) };
    return startTestServer({ databaseUrl: url, now, storage: { ...storage, keys } });
  };
}

/** A server whose database, if it exists, is changed before each start. */
function afterRestart(sql: string): StartServer {
  return (database, now) => {
    if (existsSync(database.path)) {
      using file = new DatabaseSync(database.path, { enableForeignKeyConstraints: false });
      file.exec(sql);
    }
    return startUsual(database, now);
  };
}

describe('a fault in an operation is detected', () => {
  test('an order that does not reserve its animal', async () => {
    const failure = await failureAt(
      withOperations({
        createOrder: (call) =>
          operations.createOrder({ ...call, storage: { ...call.storage, setPetStatus: async () => {} } }),
      }),
    );
    expect(actionsOf(failure)).toContain('createOrder');
    // Either the animal is shown as available, or it is ordered again.
    expect(failure.problems.join()).toMatch(/"status":"pending"|the status should be 409/);
  });

  test('a cancelled order whose animal stays pending', async () => {
    const failure = await failureAt(
      withOperations({
        cancelOrder: (call) =>
          operations.cancelOrder({ ...call, storage: { ...call.storage, setPetStatus: async () => {} } }),
      }),
    );
    expect(actionsOf(failure)).toContain('cancelOrder');
  });

  test('a listing without the last animal', async () => {
    const failure = await failureAt(
      withOperations({
        listPets: async (call) => {
          const response = await operations.listPets(call);
          return response instanceof ApiError ? response : { ...response, body: response.body.slice(0, -1) };
        },
      }),
    );
    expect(['listPets', 'follow']).toContain(actionsOf(failure).at(-1));
    // The page is shorter, or has the ETag of another one.
    expect(failure.problems[0]).toMatch(/^the body should be \[|^the status should be 200, and is 304/);
  });

  test('a last page with a Link to a next one', async () => {
    const failure = await failureAt(
      withOperations({
        listPets: (call) =>
          operations.listPets({
            ...call,
            storage: {
              ...call.storage,
              listPets: async (query) => {
                const found = await call.storage.listPets(query);
                const [last] = found.slice(-1);
                return last !== undefined && found.length === query.limit - 1 ? [...found, last] : found;
              },
            },
          }),
      }),
    );
    expect(failure.problems).toEqual(['a Link to the next page should be false, and is true']);
  });

  test('the orders of one key shown to another', async () => {
    const shown = new Map<number, string>();
    const failure = await failureAt(
      withOperations({
        createOrder: async (call) => {
          const response = await operations.createOrder(call);
          if (!(response instanceof ApiError)) shown.set(response.body.id, call.caller.id);
          return response;
        },
        getOrder: (call) =>
          operations.getOrder({
            ...call,
            caller: { ...call.caller, id: shown.get(call.path.orderId) ?? call.caller.id },
          }),
      }),
    );
    expect(actionsOf(failure).at(-1)).toBe('getOrder');
    expect(failure.problems[0]).toMatch(/^the status should be 404, and is (200|304)/);
  });

  test('an If-Match that is ignored', async () => {
    const failure = await failureAt(
      withOperations({ updatePet: (call) => operations.updatePet({ ...call, header: { 'If-Match': '*' } }) }),
    );
    expect(actionsOf(failure).at(-1)).toBe('updatePet');
    expect(failure.problems[0]).toMatch(/^the status should be (412|428), and is (200|409)/);
  });

  test('an animal that is deleted although it has a placed order', async () => {
    const failure = await failureAt(
      withOperations({
        deletePet: (call) =>
          operations.deletePet({ ...call, storage: { ...call.storage, hasPlacedOrder: async () => false } }),
      }),
    );
    expect(failure.problems).toContain('the status should be 409, and is 204');
  });
});

describe('a fault in stored responses is detected', () => {
  test('a replay that acts again, although its response is the first one', async () => {
    const failure = await failureAt(
      withTransactions((inner) => ({
        findIdempotencyRecord: async (...name) => {
          const kept = await inner.findIdempotencyRecord(...name);
          if (kept !== undefined) await inner.addPet({ name: 'again', categoryId: 1 });
          return kept;
        },
      })),
    );
    expect(failure.problems.length).toBeGreaterThan(0);
    expect(actionsOf(failure).filter((name) => name === 'createPet' || name === 'repeat').length).toBeGreaterThan(1);
  });

  test('a replay that never expires', async () => {
    const failure = await failureAt(
      withTransactions((inner) => ({
        findIdempotencyRecord: (keyId, name) => inner.findIdempotencyRecord(keyId, name, 0),
      })),
    );
    expect(actionsOf(failure)).toContain('wait');
  });

  test('an Idempotency-Key that both keys share', async () => {
    const failure = await failureAt(
      withTransactions((inner) => ({
        findIdempotencyRecord: (_, ...rest) => inner.findIdempotencyRecord('all', ...rest),
        saveIdempotencyRecord: (_, ...rest) => inner.saveIdempotencyRecord('all', ...rest),
      })),
    );
    const callers = failure.actions.map((action) => ('by' in action ? action.by : undefined));
    expect(callers).toEqual(expect.arrayContaining([0, 1]));
  });
});

describe('a fault in keys is detected', () => {
  test('activity that is lost if one batch has calls of two days', async () => {
    const failure = await failureAt(
      withKeys(({ addActivity }) => ({
        addActivity: async (records) => {
          const names = new Set(records.map(({ keyId, operation }) => `${keyId} ${operation}`));
          const cause = new Error('ON CONFLICT DO UPDATE command cannot affect row a second time');
          if (names.size < records.length) throw new StorageUnavailableError(cause);
          await addActivity(records);
        },
      })),
    );
    expect(failure.problems[0]).toMatch(/^key \d called \w+ \d+ times, and 0 are stored$/);
  });

  test('an older secret that works a millisecond too long', async () => {
    const failure = await failureAt(
      withKeys(({ rotate }) => ({ rotate: (id, secret, olderEndAt, by) => rotate(id, secret, olderEndAt + 1, by) })),
    );
    expect(actionsOf(failure)).toEqual(expect.arrayContaining(['key', 'getKey']));
    expect(failure.problems.join()).toMatch(/"expiresAt"|the status should be 401, and is 200/);
  });

  test('a revocation that has no effect', async () => {
    const failure = await failureAt(withKeys(() => ({ revoke: async () => {} })));
    expect(failure.problems).toContainEqual(expect.stringMatching(/^the status should be 401/));
  });
});

describe('a restart that changes something is detected', () => {
  test('one that loses what a key has used of its quota', async () => {
    const failure = await failureAt(afterRestart('DELETE FROM usage'));
    expect(actionsOf(failure)).toEqual(expect.arrayContaining(['restart', 'getKey']));
    expect(failure.problems[0]).toMatch(/"remaining"/);
  });

  test('one that loses the last animal', async () => {
    const failure = await failureAt(afterRestart('DELETE FROM pets WHERE id = (SELECT max(id) FROM pets)'));
    expect(actionsOf(failure)).toContain('restart');
  });

  test('one that reuses the ID of a deleted animal', async () => {
    const forget = "UPDATE sqlite_sequence SET seq = (SELECT ifnull(max(id), 0) FROM pets) WHERE name = 'pets'";
    const failure = await failureAt(afterRestart(forget));
    expect(actionsOf(failure)).toEqual(expect.arrayContaining(['deletePet', 'restart', 'createPet']));
  });

  test('one that loses the records of Idempotency-Keys', async () => {
    const failure = await failureAt(afterRestart('DELETE FROM idempotency_records'));
    expect(actionsOf(failure)).toContain('restart');
    // Either the first response is not repeated, or another request with the key is not refused.
    expect(failure.problems.join()).toMatch(/Idempotency-Replayed should be "true"|the status should be 422/);
  });
});

test('a failure is shrunk, and reported with seed, actions and curl lines', async () => {
  // Other seeds may end at a longer sequence, from which no single step can be removed.
  const seed = 8;
  const failure = await failureAt(afterRestart('DELETE FROM pets'), 500, seed);
  expect(failure.actions).toEqual([
    // The third action has a status if it needs one to detect that the animal is missing.
    { do: 'createPet', pet: expect.objectContaining({ name: 'Rex', categoryId: 3 }), by: 0 },
    { do: 'restart' },
    expect.objectContaining({ by: 0 }),
  ]);
  const text = modelFailureText(failure);
  expect(text).toContain(`seed ${seed}`);
  expect(text).toMatch(/^1\. \{"do":"createPet",.*\n {2}curl .*-X POST 'http:\/\/127\.0\.0\.1:3000\/v1\/pets' /m);
  expect(text).toContain('2. {"do":"restart"}\n  # restart the server\n');
  expect(text).toContain(`repeat with: npm run model -- --seed ${seed} --only ${failure.run}`);
});
