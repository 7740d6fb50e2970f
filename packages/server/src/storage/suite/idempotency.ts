import { describe, expect, test } from '@jest/globals';
import type { IdempotencyRecord, Storage } from '../storage.ts';
import { type Engine, opener } from './engine.ts';

const response: IdempotencyRecord = {
  fingerprint: 'f1',
  status: 201,
  headers: { Location: 'https://api.example/v1/pets/1', 'X-"Odd"': '🐈' },
  body: '{"id":1,"name":"🐈 \\u0000 \\"x\\""}',
  createdAt: 1_000,
};

export function describeResponses(engine: Engine): void {
  const open = opener(engine);
  const find = (storage: Storage, keyId: string, idempotencyKey: string, notBefore = 0) =>
    storage.transaction((transaction) => transaction.findIdempotencyRecord(keyId, idempotencyKey, notBefore));
  const keep = (storage: Storage, keyId: string, idempotencyKey: string, kept: IdempotencyRecord) =>
    storage.transaction((transaction) => transaction.saveIdempotencyRecord(keyId, idempotencyKey, kept));

  describe('kept responses', () => {
    test('are found as they were kept', async () => {
      const storage = await open();
      await keep(storage, 'key_1', 'a', response);
      expect(await find(storage, 'key_1', 'a')).toEqual(response);
    });

    test('belong to one API key and one Idempotency-Key', async () => {
      const storage = await open();
      await keep(storage, 'key_1', 'a', response);
      expect(await find(storage, 'key_2', 'a')).toBeUndefined();
      expect(await find(storage, 'key_1', 'A')).toBeUndefined();
      await keep(storage, 'key_2', 'a', { ...response, status: 202 });
      expect((await find(storage, 'key_1', 'a'))?.status).toBe(201);
    });

    test('kept before `notBefore` are not found, and replaced', async () => {
      const storage = await open();
      await keep(storage, 'key_1', 'a', response);
      expect(await find(storage, 'key_1', 'a', 1_000)).toEqual(response);
      expect(await find(storage, 'key_1', 'a', 1_001)).toBeUndefined();
      const newer = { ...response, fingerprint: 'f2', createdAt: 2_000 };
      await keep(storage, 'key_1', 'a', newer);
      expect(await find(storage, 'key_1', 'a', 1_001)).toEqual(newer);
    });

    test('that a work looked for and keeps are found by the next work of the same moment', async () => {
      const storage = await open();
      let acted = 0;
      const act = () =>
        storage.transaction(async (transaction) => {
          const kept = await transaction.findIdempotencyRecord('key_1', 'a', 0);
          if (kept !== undefined) return kept;
          acted += 1;
          await transaction.saveIdempotencyRecord('key_1', 'a', response);
          return response;
        });
      expect(await Promise.all(Array.from({ length: 20 }, act))).toEqual(Array(20).fill(response));
      expect(acted).toBe(1);
    });

    test('kept before a time are forgotten, thousands of them too', async () => {
      const storage = await open();
      await storage.transaction(async (transaction) => {
        for (let index = 0; index < 2_500; index += 1)
          await transaction.saveIdempotencyRecord('key_1', `${index}`, response);
        await transaction.saveIdempotencyRecord('key_1', 'new', { ...response, createdAt: 1_001 });
      });
      await storage.deleteIdempotencyRecords(1_001);
      for (const gone of ['0', '999', '1000', '2499']) expect(await find(storage, 'key_1', gone)).toBeUndefined();
      expect(await find(storage, 'key_1', 'new')).toBeDefined();
      await storage.deleteIdempotencyRecords(1_001);
      expect(await find(storage, 'key_1', 'new')).toBeDefined();
    });
  });
}
