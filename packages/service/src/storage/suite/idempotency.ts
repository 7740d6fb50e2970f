import { describe, expect, test } from '@jest/globals';
import type { IdempotencyRecord } from '../storage.ts';
import { type Engine, opener } from './engine.ts';
import type { Storage } from './notes.ts';

const record: IdempotencyRecord = {
  fingerprint: 'f1',
  status: 201,
  headers: { Location: 'https://api.example/v1/notes/1', 'X-"Odd"': '🐈' },
  body: '{"id":1,"name":"🐈 \\u0000 \\"x\\""}',
  createdAt: 1_000,
};

export function describeIdempotencyRecords(engine: Engine): void {
  const open = opener(engine);
  const find = (storage: Storage, keyId: string, idempotencyKey: string, notBefore = 0) =>
    storage.transaction((transaction) => transaction.findIdempotencyRecord(keyId, idempotencyKey, notBefore));
  const save = (storage: Storage, keyId: string, idempotencyKey: string, record: IdempotencyRecord) =>
    storage.transaction((transaction) => transaction.saveIdempotencyRecord(keyId, idempotencyKey, record));

  describe('idempotency records', () => {
    test('are found as they were saved', async () => {
      const storage = await open();
      await save(storage, 'key_1', 'a', record);
      expect(await find(storage, 'key_1', 'a')).toEqual(record);
    });

    test('belong to one API key and one Idempotency-Key', async () => {
      const storage = await open();
      await save(storage, 'key_1', 'a', record);
      expect(await find(storage, 'key_2', 'a')).toBeUndefined();
      expect(await find(storage, 'key_1', 'A')).toBeUndefined();
      await save(storage, 'key_2', 'a', { ...record, status: 202 });
      expect((await find(storage, 'key_1', 'a'))?.status).toBe(201);
    });

    test('created before `notBefore` are not found, and replaced', async () => {
      const storage = await open();
      await save(storage, 'key_1', 'a', record);
      expect(await find(storage, 'key_1', 'a', 1_000)).toEqual(record);
      expect(await find(storage, 'key_1', 'a', 1_001)).toBeUndefined();
      const newer = { ...record, fingerprint: 'f2', createdAt: 2_000 };
      await save(storage, 'key_1', 'a', newer);
      expect(await find(storage, 'key_1', 'a', 1_001)).toEqual(newer);
    });

    test('that a transaction looks for and then saves are found by a concurrent one', async () => {
      const storage = await open();
      let acted = 0;
      const act = () =>
        storage.transaction(async (transaction) => {
          const found = await transaction.findIdempotencyRecord('key_1', 'a', 0);
          if (found !== undefined) return found;
          acted += 1;
          await transaction.saveIdempotencyRecord('key_1', 'a', record);
          return record;
        });
      expect(await Promise.all(Array.from({ length: 20 }, act))).toEqual(Array(20).fill(record));
      expect(acted).toBe(1);
    });

    test('created before a time are deleted, even thousands of them', async () => {
      const storage = await open();
      await storage.transaction(async (transaction) => {
        for (let index = 0; index < 2_500; index += 1)
          await transaction.saveIdempotencyRecord('key_1', `${index}`, record);
        await transaction.saveIdempotencyRecord('key_1', 'new', { ...record, createdAt: 1_001 });
      });
      await storage.deleteIdempotencyRecords(1_001);
      for (const gone of ['0', '999', '1000', '2499']) expect(await find(storage, 'key_1', gone)).toBeUndefined();
      expect(await find(storage, 'key_1', 'new')).toBeDefined();
      await storage.deleteIdempotencyRecords(1_001);
      expect(await find(storage, 'key_1', 'new')).toBeDefined();
    });
  });
}
