/** The client core adds the same bytes to a page, whatever the contract. */

import * as store from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import * as notes from '../../../server/test/second-contract/generated/constants.ts';
import { bundlePage, clientLimits, compressedBytes } from '../../../tooling/src/bundle/page-size.ts';

/** A page that calls one GET, with the facts of a contract that the client needs. */
async function bytesOf({
  idempotentOperations,
  requestMediaTypes,
  contractVersion: version,
}: typeof notes | typeof store) {
  const facts = JSON.stringify({ name: 'a-name', version, idempotentOperations, requestMediaTypes });
  const code = `import { createClient } from '@contract-first/client';
    export const page = (apiKey, baseUrl) => createClient(${facts}, { apiKey, baseUrl }).GET('/notes');`;
  return compressedBytes(await bundlePage(code, import.meta.dirname));
}

test.each([
  ['this contract', store],
  ['the second contract', notes],
])('%s is within the limit of the client', async (_, contract) => {
  const operations = Object.keys(contract.operations).length;
  expect(await bytesOf(contract)).toBeLessThanOrEqual(clientLimits.core + clientLimits.perOperation * operations);
});
