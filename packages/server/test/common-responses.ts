import { operations as facts, type OperationId } from '@animal-store/contract';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeBody } from './common/body.ts';
import { describeFaults } from './common/faults.ts';
import { describeIdempotency, type Requests } from './common/idempotency.ts';
import { describeKeys } from './common/keys.ts';
import { describeQuota } from './common/quota.ts';
import { type CallParts, startTestServer, type TestServer } from './harness.ts';

/**
 * The responses that an operation gives because of what it is, whatever it does: keys, quotas and faults for all of them,
 * bodies and Idempotency-Keys for those that have one by contract. Each operation's test runs these.
 *
 * @param valid a request that is valid by contract; it need not succeed
 * @param requests for an operation with an Idempotency-Key: a request that succeeds, and another one
 */
export function describeCommonResponses(id: OperationId, valid: CallParts, requests?: Requests): void {
  describe(`${id}: what follows from the contract`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer();
    });
    afterAll(() => server.stop());

    describeKeys(id, valid, () => server);
    describeQuota(id, valid, () => server);
    describeFaults(id, valid);
    if (facts[id].hasBody) describeBody(id, valid, () => server);
    if (!facts[id].idempotent) return;
    if (requests === undefined)
      throw new Error(`${id} has an Idempotency-Key: describeCommonResponses needs requests.`);
    describeIdempotency(id, requests, () => server);
  });
}
