import { expect, test } from '@jest/globals';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { unknownOperations } from './actions/index.ts';
import { type CheckOptions, checkModel } from './run/check.ts';
import { modelFailureText } from './run/failure.ts';

/** The same sequences in every run, so that a failure is due to a change; `npm run model` uses new ones. */
const seed = Number(process.env['MODEL_SEED'] ?? 20_261_201);
const runs = Number(process.env['MODEL_RUNS'] ?? 300);

/** Responses that the sequences must include, because a test that never gets them proves nothing. */
const requiredResponses = [
  'createPet 201',
  'createPet 201 replayed',
  'createPet 422',
  'listPets 200',
  'getPet 200',
  'getPet 404',
  'createOrder 201',
  'createOrder 201 replayed',
  'createOrder 404',
  'createOrder 409',
  'createOrder 422',
  'listOrders 200',
  'getOrder 200',
  'getOrder 404',
  ...['completeOrder', 'cancelOrder'].flatMap((id) => [`${id} 200`, `${id} 404`, `${id} 409`, `${id} 422`]),
  ...['listPets', 'getPet', 'listOrders', 'getOrder'].map((id) => `${id} 304`),
  'updatePet 200',
  'updatePet 200 replayed',
  ...['404', '409', '412', '422', '428'].map((status) => `updatePet ${status}`),
  'deletePet 204',
  'deletePet 204 replayed',
  ...['404', '409', '412', '422'].map((status) => `deletePet ${status}`),
  'getKey 200',
  'getKey 401',
  'getPet 410',
];

test('every operation of the contract has an action', () => {
  expect(unknownOperations()).toEqual([]);
});

/** Fails with the smallest sequence that differs. Resolves to the responses that the sequences got. */
async function expectSame(options: CheckOptions): Promise<ReadonlyMap<string, number>> {
  const { responses, failure } = await checkModel(options);
  expect(failure === undefined ? '' : modelFailureText(failure)).toBe('');
  return responses;
}

test(`in ${runs} sequences of calls, restarts and passing days, the server answers as a plain model does`, async () => {
  const responses = await expectSame({ runs, seed });
  expect(requiredResponses.filter((name) => !responses.has(name))).toEqual([]);
});

describeOnPostgres('on PostgreSQL', (postgres) => {
  const newDatabase = async () => ({ url: await postgres.freshUrl(), path: '', remove: async () => {} });

  test('it does so in the first 50 of them', async () => {
    waitLong();
    const responses = await expectSame({ runs: 50, seed, newDatabase });
    expect(responses.size).toBeGreaterThan(requiredResponses.length / 2);
  });
});
