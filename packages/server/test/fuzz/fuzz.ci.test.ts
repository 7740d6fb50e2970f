import { expect, test } from '@jest/globals';
import { contractDocument } from '../contract.ts';
import { fuzzedOperations } from './requests/contract.ts';
import { failureText } from './run/failure.ts';
import { fuzz } from './run/run.ts';
import { startTargetFor } from './target/target.ts';

/** The same requests in every run, so that a failure is due to a change; `npm run fuzz` uses new ones. */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_201);
const runs = Number(process.env['FUZZ_RUNS'] ?? 400);

test.each(fuzzedOperations(contractDocument).map(({ id }) => id))(
  `%s answers ${runs} generated requests as the contract promises`,
  async (id) => {
    await using target = await startTargetFor(id);
    const { requests, accepted, failures } = await fuzz(target, id, { runs, seed });
    expect(failures.map(failureText).join('\n\n')).toBe('');
    expect(requests).toBeGreaterThanOrEqual(runs);
    // If no request is accepted, refusals prove nothing.
    expect(accepted).toBeGreaterThan(0);
  },
);
