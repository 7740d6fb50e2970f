import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { KeyRecord, KeyStore, SecretRecord } from '../storage.ts';
import { type Engine, opener } from './engine.ts';

const key: KeyRecord = { id: 'key_1', plan: 'free', scope: 'write', createdAt: 1_000 };
const own: KeyRecord = {
  id: 'key_2',
  plan: 'enterprise',
  scope: 'read',
  name: `O'Hara "🐈" עברית`,
  perMinute: Number.MAX_SAFE_INTEGER,
  perDay: Number.MAX_SAFE_INTEGER,
  createdAt: 2_000,
  expiresAt: Number.MAX_SAFE_INTEGER,
};

function secretOf(text: string, createdAt = 1_000): SecretRecord {
  return { hash: createHash('sha256').update(text).digest(), hint: `fn_live_…${text}`, createdAt };
}

async function bySecret(keys: KeyStore, text: string) {
  return (await keys.findBySecrets([secretOf(text).hash]))[0];
}

/** The key with hashes as plain Uint8Arrays, so that the engines' results can be compared. */
function plain<T extends { secrets: SecretRecord[] }>(found: T | undefined) {
  return found && { ...found, secrets: found.secrets.map((secret) => ({ ...secret, hash: hex(secret.hash) })) };
}
const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');
const shown = (secret: SecretRecord) => ({ ...secret, hash: hex(secret.hash) });

export function describeKeys(engine: Engine): void {
  const open = opener(engine);

  describe('keys', () => {
    test('are found by ID, with the properties that they were added with and no others', async () => {
      const { keys } = await open();
      await keys.add(key, secretOf('a'));
      await keys.add(own, secretOf('b'));
      expect(plain(await keys.find('key_1'))).toStrictEqual({ ...key, secrets: [shown(secretOf('a'))] });
      expect(plain(await keys.find('key_2'))).toStrictEqual({ ...own, secrets: [shown(secretOf('b'))] });
      expect(await keys.find('key_3')).toBeUndefined();
    });

    test('have one mode in a database, which the first server sets', async () => {
      const { keys } = await open();
      expect(await keys.mode()).toBeUndefined();
      expect(await keys.claimMode('test')).toBe('test');
      expect(await keys.claimMode('live')).toBe('test');
      expect(await keys.mode()).toBe('test');
    });

    test('are found by the hash of a secret', async () => {
      const { keys } = await open();
      await keys.add(key, secretOf('a'));
      const found = await bySecret(keys, 'a');
      expect(found?.key).toStrictEqual(key);
      expect(found && shown(found.secret)).toStrictEqual(shown(secretOf('a')));
      expect(await bySecret(keys, 'b')).toBeUndefined();
      expect(await keys.findBySecrets([new Uint8Array()])).toEqual([]);
    });

    test('are found by the hashes of many secrets at once, without the unknown ones', async () => {
      const { keys } = await open();
      const names = Array.from({ length: 40 }, (_, number) => `many-${number}`);
      for (const name of names) await keys.add({ ...key, id: `key_${name}` }, secretOf(name));
      const hashes = [...names.slice(5), 'unknown'].map((name) => secretOf(name).hash);
      const found = await keys.findBySecrets(hashes);
      expect(new Set(found.map(({ secret }) => hex(secret.hash)))).toEqual(new Set(hashes.slice(0, -1).map(hex)));
      expect(found.every((one) => `fn_live_…${one.key.id.slice('key_'.length)}` === one.secret.hint)).toBe(true);
      expect(await keys.findBySecrets([])).toEqual([]);
    });

    test('cannot be added twice, nor with a secret of another key', async () => {
      const { keys } = await open();
      await keys.add(key, secretOf('a'));
      await expect(keys.add(key, secretOf('b'))).rejects.toThrow();
      await expect(keys.add(own, secretOf('a'))).rejects.toThrow();
      expect(await keys.list()).toHaveLength(1);
      expect(await bySecret(keys, 'b')).toBeUndefined();
    });

    test('are listed by ascending creation time', async () => {
      const { keys } = await open();
      expect(await keys.list()).toEqual([]);
      await keys.add(own, secretOf('b'));
      await keys.add(key, secretOf('a'));
      await keys.add({ ...key, id: 'key_0' }, secretOf('c'));
      expect((await keys.list()).map(({ id }) => id)).toEqual(['key_1', 'key_0', 'key_2']);
    });

    test('that are rotated have one more secret; the older ones end at the given time, or sooner', async () => {
      const { keys } = await open();
      await keys.add(key, secretOf('a'));
      await keys.add(own, secretOf('x'));
      await keys.rotate('key_1', secretOf('b', 2_000), 5_000);
      await keys.rotate('key_1', secretOf('c', 3_000), 9_000);
      const ends = (await keys.find('key_1'))?.secrets.map(({ hint, expiresAt }) => [hint, expiresAt]);
      expect(ends).toEqual([
        ['fn_live_…a', 5_000],
        ['fn_live_…b', 9_000],
        ['fn_live_…c', undefined],
      ]);
      expect((await keys.list()).map(({ secrets }) => secrets.length)).toEqual([3, 1]);
      expect((await keys.find('key_2'))?.secrets[0]?.expiresAt).toBeUndefined();
      expect((await bySecret(keys, 'b'))?.secret.expiresAt).toBe(9_000);
    });

    test('are revoked once; the first time counts', async () => {
      const { keys } = await open();
      await keys.add(key, secretOf('a'));
      await keys.add(own, secretOf('b'));
      await keys.revoke('key_1', 3_000);
      await keys.revoke('key_1', 4_000);
      await keys.revoke('key_9', 4_000);
      expect((await bySecret(keys, 'a'))?.key).toStrictEqual({ ...key, revokedAt: 3_000 });
      expect((await keys.find('key_2'))?.revokedAt).toBeUndefined();
    });
  });

  describe('changes of keys', () => {
    test('replace the properties, and leave out those that are gone', async () => {
      const { keys } = await open();
      await keys.add(own, secretOf('a'));
      const changed = await keys.update('key_2', (found) => ({ ...found, plan: 'pro', perMinute: undefined }));
      expect(changed?.plan).toBe('pro');
      expect(await keys.find('key_2')).toMatchObject({ plan: 'pro', scope: 'read', perDay: own.perDay });
      expect((await keys.find('key_2'))?.perMinute).toBeUndefined();
      expect(await keys.update('key_9', (found) => found)).toBeUndefined();
    });

    test('that fail change nothing', async () => {
      const { keys } = await open();
      await keys.add(key, secretOf('a'));
      const fail = () => {
        throw new Error('not valid');
      };
      await expect(keys.update('key_1', fail)).rejects.toThrow('not valid');
      await expect(keys.rotate('key_1', secretOf('a'), 5_000)).rejects.toThrow();
      expect(plain(await keys.find('key_1'))).toStrictEqual({ ...key, secrets: [shown(secretOf('a'))] });
    });

    test('that end a ban delete it from the stored usage, and mark the key', async () => {
      const { keys, usage } = await open();
      await keys.add(key, secretOf('a'));
      const stored = { keyId: 'key_1', minute: 7, minuteUsed: 3, day: 1, dayUsed: 9, bans: 2, bannedUntil: 60_000 };
      await usage.save([stored]);
      await usage.endBan('key_1', 59_999);
      expect(await usage.find('key_1')).toEqual(stored);
      await keys.unban('key_1', 5_000);
      expect(await usage.find('key_1')).toEqual({ ...stored, bans: 0, bannedUntil: 0 });
      expect((await bySecret(keys, 'a'))?.key.unbannedAt).toBe(5_000);
    });
  });
}
