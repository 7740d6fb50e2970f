import { describe, expect, test } from '@jest/globals';
import { type KnownSecret, SecretCache } from './secret-cache.ts';

function knownSecret(id: string): KnownSecret {
  return { key: { id, plan: 'free', createdAt: 0 }, secret: { hash: Buffer.from(id), hint: '', createdAt: 0 } };
}

/** A store that counts how often it is asked. */
function countingStore(known: Record<string, KnownSecret>) {
  const asked: string[] = [];
  const load = async (secret: string) => {
    asked.push(secret);
    return known[secret];
  };
  return { asked, load };
}

describe('SecretCache', () => {
  test('asks once in 5 seconds', async () => {
    const cache = new SecretCache();
    const { asked, load } = countingStore({ a: knownSecret('a') });
    for (const now of [1_000, 1_001, 5_999]) expect((await cache.find('a', now, load))?.key.id).toBe('a');
    expect(asked).toHaveLength(1);
    await cache.find('a', 6_000, load);
    expect(asked).toHaveLength(2);
  });

  test('asks again when the clock was set back', async () => {
    const cache = new SecretCache();
    const { asked, load } = countingStore({ a: knownSecret('a') });
    await cache.find('a', 1_000_000, load);
    await cache.find('a', 999_999, load);
    expect(asked).toHaveLength(2);
  });

  test('does not remember what does not exist, or no longer does', async () => {
    const cache = new SecretCache();
    const { asked, load } = countingStore({});
    await cache.find('x', 1_000, load);
    expect(await cache.find('x', 1_000, load)).toBeUndefined();
    expect(asked).toHaveLength(2);
    await cache.find('a', 1_000, async () => knownSecret('a'));
    await cache.find('a', 9_000, load);
    expect(cache.size).toBe(0);
  });

  test('never holds more than its capacity, and lets the oldest go', async () => {
    const cache = new SecretCache(3);
    const known = Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, knownSecret(id)]));
    const { asked, load } = countingStore(known);
    for (const id of ['a', 'b', 'c', 'd']) await cache.find(id, 1_000, load);
    expect(cache.size).toBe(3);
    await cache.find('d', 1_000, load);
    await cache.find('a', 1_000, load);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'a']);
  });

  test('forgets on demand, also what is being read at that moment', async () => {
    const cache = new SecretCache();
    const { promise, resolve } = Promise.withResolvers<KnownSecret>();
    const reading = cache.find('a', 1_000, () => promise);
    cache.clear();
    resolve(knownSecret('a'));
    await reading;
    expect(cache.size).toBe(0);
  });

  test('remembers nothing when the store fails', async () => {
    const cache = new SecretCache();
    const failing = () => Promise.reject(new Error('down'));
    await expect(cache.find('a', 1_000, failing)).rejects.toThrow('down');
    expect(cache.size).toBe(0);
  });
});
