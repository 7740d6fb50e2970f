import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { temporaryDatabase } from '../harness.ts';
import { type NewDatabase, play } from './play.ts';
import { sequences, unknownOperations } from './sequences.ts';

/** The same sequences in every run, so that a failure is due to a change. */
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

/** Shrinking takes many minutes, so CI only prints the seed and the path of a sequence that differs. */
const endOnFailure = process.env['CI'] !== undefined;

/** Enough for a busy machine, and to shrink a sequence that differs. */
const TIMEOUT = 1_800_000;

/** Fails with the smallest sequence that differs. Resolves to the responses that the sequences got. */
async function expectSame(numRuns: number, newDatabase: NewDatabase): Promise<ReadonlySet<string>> {
  const responses = new Set<string>();
  const property = fc.asyncProperty(sequences, async (actions) => {
    const { steps, problems } = await play(actions, newDatabase);
    for (const { request, response } of steps) {
      if (request === undefined || response === undefined) continue;
      const replayed = response.headers.has('idempotency-replayed') ? ' replayed' : '';
      responses.add(`${request.id} ${response.status}${replayed}`);
    }
    if (problems.length > 0) throw new Error(`${problems.join('; ')}. Response: ${steps.at(-1)?.response?.text}`);
  });
  await fc.assert(property, { seed, numRuns, endOnFailure });
  return responses;
}

test(
  `in ${runs} sequences of calls, restarts and passing days, the server answers as a plain model does`,
  async () => {
    const responses = await expectSame(runs, temporaryDatabase);
    expect(requiredResponses.filter((name) => !responses.has(name))).toEqual([]);
  },
  TIMEOUT,
);

describeOnPostgres('on PostgreSQL', (postgres) => {
  test(
    'it does so in the first 50 of them',
    async () => {
      waitLong();
      const responses = await expectSame(50, async () => ({ url: await postgres.freshUrl(), remove: async () => {} }));
      expect(responses.size).toBeGreaterThan(requiredResponses.length / 2);
    },
    TIMEOUT,
  );
});
