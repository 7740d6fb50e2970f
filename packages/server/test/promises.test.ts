import { limits } from '@animal-store/contract';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ApiError } from '../../service/src/openapi/api-error.ts';
import { createPet } from '../src/operations/createPet.ts';
import { operations } from '../src/operations/index.ts';
import type { Operations } from '../src/operations/operation.ts';
import { openStorage } from '../src/operations/storage/index.ts';
import { contractDocument } from './contract.ts';
import { NOON, newIdempotencyKey, startTestServer, temporaryDatabase } from './harness.ts';

const rex = { name: 'Rex', categoryId: 3 };
let database: Awaited<ReturnType<typeof temporaryDatabase>>;

beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(() => database.remove());

describe('a response that is not as documented', () => {
  const surplus: typeof createPet = async (call) => {
    const response = await createPet(call);
    if (response instanceof ApiError) return response;
    const body = { ...response.body, secret: 'leaked' };
    return { ...response, body };
  };

  test('becomes a 500 that changes nothing, reveals nothing, and is not stored for a retry', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    await using faulty = await startTestServer({
      databaseUrl: database.url,
      operations: { ...operations, createPet: surplus },
    });
    const response = await faulty.call('createPet', { body: rex, headers });
    expect([response.status, response.body.code]).toEqual([500, 'internal_error']);
    expect(response.headers.get('location')).toBeNull();
    expect(response.text).not.toContain('leaked');
    expect(faulty.log()).toContain('must NOT have additional properties');
    expect((await faulty.call('listPets')).body).toEqual([]);
    const { key } = faulty;
    await faulty.stop();
    await using mended = await startTestServer({ databaseUrl: database.url });
    const again = await mended.call('createPet', { body: rex, headers, key });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });
});

test('the JSON body of each operation refuses properties that the contract does not have', () => {
  const { paths, components } = contractDocument;
  const all = Object.values<object>(paths).flatMap((item) => Object.values(item));
  const media = all.flatMap(({ requestBody }) =>
    Object.entries<{ schema: { $ref?: string } }>(requestBody?.content ?? {}),
  );
  const schemas = media.flatMap(([type, { schema }]) => (type.endsWith('json') ? [schema] : []));
  expect(schemas.length).toBeGreaterThan(3);
  for (const { $ref, ...inline } of schemas) {
    const schema = $ref === undefined ? inline : components.schemas[$ref.replace(/.*\//, '')];
    expect([$ref, schema.additionalProperties ?? schema.unevaluatedProperties]).toEqual([$ref, false]);
  }
});

describe('a refusal', () => {
  /** Writes, and then refuses the request. */
  const writesAndRefuses: Operations['createOrder'] = async (call) => {
    await call.storage.addPet(rex);
    return new ApiError('pet_not_available', 'The animal is not available.');
  };

  test('undoes what its operation wrote, and is not stored for a retry', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    await using server = await startTestServer({ operations: { ...operations, createOrder: writesAndRefuses } });
    for (const sent of [{}, headers, headers]) {
      const response = await server.call('createOrder', { body: { petId: 1 }, headers: sent });
      expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([409, null]);
    }
    expect((await server.call('listPets')).body).toEqual([]);
  });
});

describe('idempotency records', () => {
  test('are deleted at a start if they have expired, and not before', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const server = await startTestServer({ databaseUrl: database.url });
    await server.call('createPet', { body: rex, headers });
    await server.stop();
    const lifetime = limits.idempotencySeconds * 1_000;
    expect(await keptAfterStart(NOON + lifetime)).toBe(true);
    expect(await keptAfterStart(NOON + lifetime + 1)).toBe(false);

    /** Whether the response is still in the database after a start at that time. */
    async function keptAfterStart(now: number): Promise<boolean> {
      await using again = await startTestServer({ databaseUrl: database.url, now });
      await again.stop();
      const storage = await openStorage(database.url);
      const keys = await storage.keys.list();
      const found = await storage.transaction((transaction) =>
        Promise.all(keys.map((key) => transaction.findIdempotencyRecord(key.id, headers['idempotency-key'], 0))),
      );
      await storage.close();
      return found.some((response) => response !== undefined);
    }
  });
});
