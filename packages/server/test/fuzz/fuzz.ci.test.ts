import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contractDocument } from '../contract.ts';
import { fuzzedOperations } from './contract.ts';
import { tryRequest } from './judge.ts';
import { type Kind, kindsOf } from './kinds.ts';
import { prepare, startTargetFor } from './target.ts';

/** The same requests in every run, so that a failure is due to a change. */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_201);
const runs = Number(process.env['FUZZ_RUNS'] ?? 400);

/** How often the kind "valid" is tried compared to each of the others: it covers many cases, which are found by chance only. */
const VALID_WEIGHT = 10;

const operations = fuzzedOperations(contractDocument);

test.each(operations)(`$id answers ${runs} generated requests as the contract promises`, async (operation) => {
  await using target = await startTargetFor(operation.id);
  const kinds = kindsOf(operation, await prepare(target, operations, operation));
  let accepted = 0;
  for (const [kind, numRuns] of sharesOf(kinds)) {
    const property = fc.asyncProperty(kind.requests, async (parts) => {
      const { response, problems } = await tryRequest(target, operation, kind, parts);
      if (response.status < 400) accepted += 1;
      if (problems.length > 0) throw new Error(`${kind.name}: ${problems.join('; ')}. Response: ${response.text}`);
    });
    await fc.assert(property, { seed, numRuns });
  }
  // If no request is accepted, refusals prove nothing.
  expect(accepted).toBeGreaterThan(0);
});

/** The number of requests of each kind, at least one. */
function sharesOf(kinds: Kind[]): [kind: Kind, count: number][] {
  const share = runs / (kinds.length - 1 + VALID_WEIGHT);
  return kinds.map((kind) => {
    const weight = kind.name === 'valid' ? VALID_WEIGHT : 1;
    return [kind, Math.min(kind.most ?? runs, Math.ceil(share * weight))];
  });
}
