import { describe, expect, test } from '@jest/globals';
import type { KeptReply, Storage } from '../storage.ts';
import { type Engine, opener } from './engine.ts';

const reply: KeptReply = {
  fingerprint: 'f1',
  status: 201,
  headers: { Location: 'https://api.example/v1/pets/1', 'X-"Odd"': '🐈' },
  body: '{"id":1,"name":"🐈 \\u0000 \\"x\\""}',
  keptAt: 1_000,
};

export function describeReplies(engine: Engine): void {
  const open = opener(engine);
  const find = (storage: Storage, keyId: string, idempotencyKey: string, notBefore = 0) =>
    storage.transaction((transaction) => transaction.findReply(keyId, idempotencyKey, notBefore));
  const keep = (storage: Storage, keyId: string, idempotencyKey: string, kept: KeptReply) =>
    storage.transaction((transaction) => transaction.keepReply(keyId, idempotencyKey, kept));

  describe('kept replies', () => {
    test('are found as they were kept', async () => {
      const storage = await open();
      await keep(storage, 'key_1', 'a', reply);
      expect(await find(storage, 'key_1', 'a')).toEqual(reply);
    });

    test('belong to one API key and one Idempotency-Key', async () => {
      const storage = await open();
      await keep(storage, 'key_1', 'a', reply);
      expect(await find(storage, 'key_2', 'a')).toBeUndefined();
      expect(await find(storage, 'key_1', 'A')).toBeUndefined();
      await keep(storage, 'key_2', 'a', { ...reply, status: 202 });
      expect((await find(storage, 'key_1', 'a'))?.status).toBe(201);
    });

    test('kept before `notBefore` are not found, and replaced', async () => {
      const storage = await open();
      await keep(storage, 'key_1', 'a', reply);
      expect(await find(storage, 'key_1', 'a', 1_000)).toEqual(reply);
      expect(await find(storage, 'key_1', 'a', 1_001)).toBeUndefined();
      const newer = { ...reply, fingerprint: 'f2', keptAt: 2_000 };
      await keep(storage, 'key_1', 'a', newer);
      expect(await find(storage, 'key_1', 'a', 1_001)).toEqual(newer);
    });

    test('that a work looked for and keeps are found by the next work of the same moment', async () => {
      const storage = await open();
      let acted = 0;
      const act = () =>
        storage.transaction(async (transaction) => {
          const kept = await transaction.findReply('key_1', 'a', 0);
          if (kept !== undefined) return kept;
          acted += 1;
          await transaction.keepReply('key_1', 'a', reply);
          return reply;
        });
      expect(await Promise.all(Array.from({ length: 20 }, act))).toEqual(Array(20).fill(reply));
      expect(acted).toBe(1);
    });

    test('kept before a time are forgotten, thousands of them too', async () => {
      const storage = await open();
      await storage.transaction(async (transaction) => {
        for (let index = 0; index < 2_500; index += 1) await transaction.keepReply('key_1', `${index}`, reply);
        await transaction.keepReply('key_1', 'new', { ...reply, keptAt: 1_001 });
      });
      await storage.forgetReplies(1_001);
      for (const gone of ['0', '999', '1000', '2499']) expect(await find(storage, 'key_1', gone)).toBeUndefined();
      expect(await find(storage, 'key_1', 'new')).toBeDefined();
      await storage.forgetReplies(1_001);
      expect(await find(storage, 'key_1', 'new')).toBeDefined();
    });
  });
}
