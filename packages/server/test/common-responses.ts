import { anonymousLimits, operations as facts, type OperationId } from '@animal-store/contract';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { StorageUnavailableError } from '../../service/src/storage/storage.ts';
import {
  type CommonSetup,
  describeCommonResponses as describeEach,
} from '../../testing/src/service/common-responses.ts';
import { operations } from '../src/operations/index.ts';
import { describeBody } from './common/body.ts';
import { describeFaults } from './common/faults.ts';
import { describeIdempotency, precededBy, type Requests } from './common/idempotency.ts';
import { describeKeys, describeQuota } from './common/keys.ts';
import { apiFacts, type CallParts, startTestServer, type TestServer } from './harness.ts';

/** One operation that reads and one that writes. The code behind these responses does not know which operation it serves. */
const testedInFull: ReadonlySet<OperationId> = new Set(['listPets', 'createPet']);

/**
 * Tests the responses that follow from the contract alone: keys, quotas and faults for every operation, bodies and
 * Idempotency-Keys for those that have them. Each operation's test calls this: `testedInFull` names the operations that
 * get every case, the others get one request for each of these responses.
 *
 * @param valid a request that is valid by contract; it need not succeed
 * @param requests for an operation with an Idempotency-Key: a request that succeeds, and another one
 */
export function describeCommonResponses(id: OperationId, valid: CallParts, requests?: Requests): void {
  if (facts[id].idempotent && requests === undefined) {
    throw new Error(`${id} has an Idempotency-Key: describeCommonResponses needs requests.`);
  }
  if (testedInFull.has(id)) describeInFull(id, valid, requests);
  else describeEach(setup, id, valid, requests);
}

function describeInFull(id: OperationId, valid: CallParts, requests: Requests | undefined): void {
  describe(`${id}: what follows from the contract`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer();
    });
    afterAll(() => server.stop());

    describeKeys(id, valid, () => server);
    describeQuota(id, valid, () => server);
    describeFaults(id, valid);
    if (facts[id].requestBody !== null) describeBody(id, valid, () => server);
    if (requests !== undefined) describeIdempotency(id, requests, () => server);
  });
}

const setup: CommonSetup<OperationId, TestServer> = {
  api: apiFacts,
  anonymousLimits,
  limited: { key: { plan: 'enterprise', perMinute: 1, perDay: 1 }, perMinute: 1 },
  startWith: (id, before) => startTestServer({ operations: { ...operations, [id]: precededBy(id, before) } }),
  startImpatient,
  storageError: () => new StorageUnavailableError(new Error('disk on fire')),
};

/** Starts a server that waits a second for a request. Its headers must arrive in that time on a busy machine, too. */
export function startImpatient(): Promise<TestServer> {
  return startTestServer({ timeouts: { headers: 1_000, request: 1_000 } });
}
