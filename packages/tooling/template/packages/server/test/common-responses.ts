import {
  type CommonSetup,
  describeCommonResponses as describeAll,
  type Requests,
} from '@contract-first/testing/service/common-responses';
import { api } from '../src/operations/api.ts';
import {
  apiFacts,
  type CallParts,
  type OperationId,
  type Operations,
  quotas,
  startTestServer,
  type TestServer,
} from './harness.ts';

const operations: Operations = api.operations;
const [smallest] = quotas;

const setup: CommonSetup<OperationId, TestServer> = {
  api: apiFacts,
  anonymousLimits: api.contract.anonymousLimits,
  limited: smallest && { key: { plan: smallest.plan }, perMinute: smallest.perMinute },
  startWith: async (id, before) => {
    const operation = operations[id];
    if (operation === undefined) throw new Error(`${id} has no implementation.`);
    const preceded: typeof operation = async (call) => {
      await before();
      return operation(call);
    };
    return startTestServer({ operations: { ...operations, [id]: preceded } });
  },
  startImpatient: () => startTestServer({ timeouts: { headers: 200, request: 300 } }),
};

/**
 * Tests the responses that follow from the contract alone: keys, quotas, faults, bodies and Idempotency-Keys.
 *
 * @param valid a request that is valid by contract; it need not succeed
 * @param requests for an operation with an Idempotency-Key: a request that succeeds, and another one
 */
export function describeCommonResponses(id: OperationId, valid: CallParts, requests?: Requests<TestServer>): void {
  describeAll(setup, id, valid, requests);
}
