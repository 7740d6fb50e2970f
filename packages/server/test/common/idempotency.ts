import type { OperationId } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { operations } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { type CallParts, newIdempotencyKey, startTestServer, type TestServer } from '../harness.ts';

/** A request that succeeds on this server, and another one for the same operation. */
export type Requests = (server: TestServer) => Promise<{ first: CallParts; other: CallParts }>;

/** Cases of requests with an Idempotency-Key that a single repetition does not show. */
export function describeIdempotency(id: OperationId, requests: Requests, server: () => TestServer): void {
  test('Idempotency-Key: of many simultaneous requests exactly one takes effect', async () => {
    const { first } = await requests(server());
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const responses = await Promise.all(Array.from({ length: 20 }, () => server().call(id, { ...first, headers })));
    const done = responses.filter((response) => response.status < 300);
    expect(done.length).toBeGreaterThanOrEqual(1);
    expect(new Set(done.map((response) => response.text)).size).toBe(1);
    expect(done.filter((response) => response.headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(
      responses.every((response) => response.status < 300 || response.body.code === 'idempotency_key_in_use'),
    ).toBe(true);
  });

  test('409: a request is refused while the first one with its Idempotency-Key is still running, but not one of another key', async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    await using slow = await startTestServer({
      operations: {
        ...operations,
        [id]: precededBy(id, () => {
          entered.resolve();
          return gate.promise;
        }),
      },
    });
    const { first } = await requests(slow);
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const key = await slow.createKey();
    const { first: ofAnother } = await requests({ ...slow, key });
    const running = slow.call(id, { ...first, headers });
    await entered.promise;
    const another = slow.call(id, { ...ofAnother, headers, key });
    const second = await slow.call(id, { ...first, headers });
    expect([second.status, second.body.code]).toEqual([409, 'idempotency_key_in_use']);
    expect(second.headers.get('retry-after')).toBe('1');
    gate.resolve();
    expect([(await running).status, (await another).status].every((status) => status < 300)).toBe(true);
    expect((await slow.call(id, { ...first, headers })).headers.get('idempotency-replayed')).toBe('true');
  });

  test('400: an API key is refused as Idempotency-Key, because it would be stored', async () => {
    const { first } = await requests(server());
    const headers = { 'idempotency-key': server().key };
    const response = await server().call(id, { ...first, headers });
    expect([response.status, response.body.details[0].where]).toEqual([400, 'header/Idempotency-Key']);
    expect(response.text).not.toContain(server().key);
  });

  test.each([' ', 'a b', 'é', 'x'.repeat(256)])('400: the Idempotency-Key "%s" is refused', async (value) => {
    const { first } = await requests(server());
    const response = await server().call(id, { ...first, headers: { 'idempotency-key': value } });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
    expect(response.body.details[0].where).toBe('header/Idempotency-Key');
  });
}

/** The operation, which first waits for a promise. */
export function precededBy<Id extends OperationId>(id: Id, before: () => Promise<void>): Operation<Id> {
  const operation: Operation<Id> = operations[id];
  return async (call) => {
    await before();
    return operation(call);
  };
}
