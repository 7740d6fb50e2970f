import { expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { checkEngines, differentialFailureText } from './check.ts';

/** The same sequences in every run, so that a failure is due to a change; `npm run differential` uses new ones. */
const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? 20_261_202);
const runs = Number(process.env['DIFFERENTIAL_RUNS'] ?? 30);

/** What the sequences must include, because a test that never gets it proves nothing. */
const required = [
  'createPet 201',
  'createOrder 201',
  'createOrder 409',
  'updatePet 200',
  'deletePet 204',
  'completeOrder 200',
  'listPets 429',
  'listPets 401',
];

describeOnPostgres('SQLite and PostgreSQL', (postgres) => {
  test(`give the same responses and store the same rows in ${runs} sequences`, async () => {
    const { seen, failure } = await checkEngines(postgres, { runs, seed });
    expect(failure === undefined ? '' : differentialFailureText(failure)).toBe('');
    expect(required.filter((name) => !seen.has(name))).toEqual([]);
    // Faults in the databases.
    expect([...seen.keys()].filter((name) => name.startsWith('during "')).length).toBeGreaterThan(3);
  }, 120_000);
});
