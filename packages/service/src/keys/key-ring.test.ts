import { describe, expect, test } from '@jest/globals';
import { hashSecret } from './key-format.ts';
import { keyState } from './key-ring.ts';
import { HOUR, keyRingOpener, START } from './key-ring-fixture.ts';
import { KeyError } from './new-key.ts';

const open = keyRingOpener();

describe('create', () => {
  test('returns a key and its secret, of which only the hash is stored', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'pro', name: 'Ann' });
    expect(key).toStrictEqual({ id: key.id, plan: 'pro', scope: 'write', name: 'Ann', createdAt: START });
    expect(secret).toMatch(/^fn_live_/);
    const [stored] = await ring.keys.list();
    expect(stored).toMatchObject({ ...key, secrets: [{ hint: `fn_live_…${secret.slice(-4)}`, createdAt: START }] });
    expect(Buffer.from(stored?.secrets[0]?.hash ?? []).equals(hashSecret(secret))).toBe(true);
    expect(JSON.stringify(stored)).not.toContain(secret.slice(8, -6));
  });

  test('refuses an invalid key and stores nothing', async () => {
    const ring = await open();
    await expect(ring.keys.create({ plan: 'enterprise' })).rejects.toBeInstanceOf(KeyError);
    expect(await ring.keys.list()).toEqual([]);
  });
});

describe('rotate', () => {
  test('returns a new secret for the same key; the older one ends after the overlap', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    expect(await ring.verify(secret)).toBe(key.id);
    const rotated = await ring.keys.rotate(key.id, HOUR);
    expect(rotated).toMatchObject({ key, olderEndAt: START + HOUR });
    expect(rotated.secret).toMatch(/^fn_live_/);
    ring.now = START + HOUR - 1;
    expect([await ring.verify(secret), await ring.verify(rotated.secret)]).toEqual([key.id, key.id]);
    ring.now = START + HOUR;
    expect([await ring.verify(secret), await ring.verify(rotated.secret)]).toEqual([undefined, key.id]);
  });

  test('without overlap ends the older one at once, even if it is cached', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    expect(await ring.verify(secret)).toBe(key.id);
    const rotated = await ring.keys.rotate(key.id, 0);
    expect([await ring.verify(secret), await ring.verify(rotated.secret)]).toEqual([undefined, key.id]);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the overlap %d', async (overlap) => {
    const ring = await open();
    const { key } = await ring.keys.create({ plan: 'free' });
    await expect(ring.keys.rotate(key.id, overlap)).rejects.toMatchObject({
      message: expect.stringContaining('Change the duration.'),
    });
  });

  test('refuses unknown, revoked and expired keys', async () => {
    const ring = await open();
    await expect(ring.keys.rotate('key_0000000000000000', 0)).rejects.toMatchObject({
      message: expect.stringContaining('No key has this ID.'),
    });
    const revoked = await ring.keys.create({ plan: 'free' });
    await ring.keys.revoke(revoked.key.id);
    await expect(ring.keys.rotate(revoked.key.id, 0)).rejects.toThrow('The key is revoked. Create a new one.');
    const expired = await ring.keys.create({ plan: 'free', expiresIn: 1 });
    ring.now += 1;
    await expect(ring.keys.rotate(expired.key.id, 0)).rejects.toThrow('The key is expired. Create a new one.');
  });
});

test('keyState distinguishes active, expired and revoked keys', async () => {
  const ring = await open();
  const { key } = await ring.keys.create({ plan: 'free', expiresIn: HOUR });
  const stateAt = async (time: number) => (await ring.keys.list()).map((found) => keyState(found, time));
  expect(await stateAt(START)).toEqual(['active']);
  expect(await stateAt(START + HOUR)).toEqual(['expired']);
  await ring.keys.revoke(key.id);
  expect(await stateAt(START + HOUR)).toEqual(['revoked']);
});
