import { anonymousLimits, type OperationId } from '@animal-store/contract';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { type CommonSetup, describeCommonResponses } from '../../../testing/src/service/common-responses.ts';
import { operations } from '../../src/operations/index.ts';
import { apiFacts, type CallParts, startTestServer, type TestServer } from '../harness.ts';
import { precededBy, type Requests } from './idempotency.ts';

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

/** One request for each response that follows from the contract, all to one server. */
export function describeEachCommonResponse(id: OperationId, valid: CallParts, requests: Requests | undefined): void {
  describeCommonResponses(setup, id, valid, requests);
}
