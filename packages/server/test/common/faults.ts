import type { OperationId } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { operations } from '../../src/operations/index.ts';
import { openStorage, type Storage } from '../../src/operations/storage/index.ts';
import { type CallParts, startTestServer } from '../harness.ts';

/** Faults of the server: an operation that throws, a storage that does not answer. */
export function describeFaults(id: OperationId, valid: CallParts): void {
  test('500: when the operation throws, the response reveals nothing, and the log has the cause under the request ID', async () => {
    const failing = async () => {
      throw new Error('the secret cause');
    };
    await using server = await startTestServer({ operations: { ...operations, [id]: failing } });
    const response = await server.call(id, valid);
    expect(response.status).toBe(500);
    expect(response.body.code).toBe('internal_error');
    expect(response.text).not.toContain('secret cause');
    expect(server.log()).toContain('the secret cause');
    expect(server.log()).toContain(response.headers.get('x-request-id'));
    expect((await server.call(id, valid)).status).toBe(500);
  });

  test('503: while the storage does not answer, the response says when to retry', async () => {
    const storage = await openStorage('sqlite::memory:');
    await using server = await startTestServer({ storage: brokenCatalogue(storage) });
    const response = await server.call(id, valid);
    expect(response.status).toBe(503);
    expect(response.body.code).toBe('service_unavailable');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(response.text).not.toContain('disk on fire');
  });
}

/** A storage in which API keys work, so that the request is authenticated, and pets do not. */
function brokenCatalogue(storage: Storage): Storage {
  const fail = async () => {
    throw new StorageUnavailableError(new Error('disk on fire'));
  };
  const reader = new Proxy(storage.reader, { get: () => fail });
  return {
    reader,
    transaction: fail,
    keys: storage.keys,
    usage: storage.usage,
    deleteIdempotencyRecords: (before) => storage.deleteIdempotencyRecords(before),
    dataVersion: () => undefined,
    ping: () => storage.ping(),
    close: () => storage.close(),
  };
}
