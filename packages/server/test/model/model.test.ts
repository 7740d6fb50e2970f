import { expect, test } from '@jest/globals';
import { checkModel } from './run/check.ts';
import { modelFailureText } from './run/failure.ts';

/** The same sequences in every run, so that a test that fails is about what was changed; `npm run model` takes new ones. */
const seed = Number(process.env['MODEL_SEED'] ?? 20_261_201);
const runs = Number(process.env['MODEL_RUNS'] ?? 200);

/** What must have happened on the way: a model that is never asked proves nothing. */
const happened = [
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
];

test(`in ${runs} sequences of calls, restarts and passing days, the server answers as a plain model does`, async () => {
  const { responses, failure } = await checkModel({ runs, seed });
  expect(failure === undefined ? '' : modelFailureText(failure)).toBe('');
  expect([...responses.keys()]).toEqual(expect.arrayContaining(happened));
});
