import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hashSecret, mintKeyId, mintSecret, parseSecret, redactSecrets, secretHint } from './key-format.ts';

const zeros = (size: number) => new Uint8Array(size);
const ones = (size: number) => new Uint8Array(size).fill(255);

describe('mintSecret', () => {
  test('encodes the least and the largest number', () => {
    expect(mintSecret('fn', 'live', zeros).slice(8, -6)).toBe('0'.repeat(43));
    expect(mintSecret('fn', 'live', ones).slice(8, -6)).toBe(base62(2n ** 256n - 1n));
  });

  test('uses 32 random bytes, and returns a different secret each time', () => {
    const sizes: number[] = [];
    const asked = (size: number) => {
      sizes.push(size);
      return randomBytes(size);
    };
    const secrets = new Set(Array.from({ length: 1_000 }, () => mintSecret('fn', 'live', asked)));
    expect(secrets.size).toBe(1_000);
    expect(new Set(sizes)).toEqual(new Set([32]));
  });
});

/** A simple base62 implementation to compare with. */
function base62(value: bigint): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return value === 0n ? '' : base62(value / 62n) + digits[Number(value % 62n)];
}

describe('parseSecret', () => {
  const secret = mintSecret('fn', 'live', ones);

  test('returns the mode of a minted secret', () => {
    expect(parseSecret(secret, 'fn')).toBe('live');
    expect(parseSecret(mintSecret('fn', 'test', zeros), 'fn')).toBe('test');
  });

  test('refuses every change of one character', () => {
    for (let at = 0; at < secret.length; at += 1) {
      const other = secret[at] === 'a' ? 'b' : 'a';
      expect(parseSecret(secret.slice(0, at) + other + secret.slice(at + 1), 'fn')).toBeUndefined();
    }
  });

  test.each([
    ['nothing', ''],
    ['the other mode', secret.replace('live', 'test')],
    ['one character fewer', secret.slice(0, -1)],
    ['one character more', `${secret}0`],
    ['a space before', ` ${secret}`],
    ['a line break instead of the last character', `${secret.slice(0, -1)}\n`],
    ['other letters', secret.toLowerCase()],
    ['a character of several bytes', `${secret.slice(0, -1)}é`],
    ['a megabyte', secret.repeat(20_000)],
  ])('refuses %s', (_what, text) => {
    expect(parseSecret(text, 'fn')).toBeUndefined();
  });
});

test('hashSecret is SHA-256', () => {
  expect(hashSecret('fn_live_x')).toEqual(createHash('sha256').update('fn_live_x').digest());
});

test('secretHint shows the prefix and the last four characters', () => {
  const secret = mintSecret('fn', 'test', ones);
  expect(secretHint(secret)).toBe(`fn_test_…${secret.slice(-4)}`);
});

test('mintKeyId returns key_ and 16 characters', () => {
  expect(mintKeyId(zeros)).toBe('key_0000000000000000');
  expect(mintKeyId(ones)).toBe('key_vvvvvvvvvvvvvvvv');
  for (let count = 0; count < 100; count += 1) expect(mintKeyId(randomBytes)).toMatch(/^key_[0-9a-v]{16}$/);
});

describe('redactSecrets', () => {
  const secret = mintSecret('fn', 'live', randomBytes);

  test.each([
    ['a secret', secret, 'fn_live_…'],
    ['one within a text', `query/${secret} is unknown`, 'query/fn_live_… is unknown'],
    ['several', `${secret},${secret}`, 'fn_live_…,fn_live_…'],
    ['a truncated one', secret.slice(0, 40), 'fn_live_…'],
    ['one followed by more text', `${secret}xyz`, 'fn_live_…'],
  ])('replaces %s', (_, text, shown) => {
    expect(redactSecrets(text)).toBe(shown);
  });

  test.each(['', 'x', 'fn_live_', 'fn_live_… or fn_test_…', 'hfn_live_notes'])('does not change %j', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });
});
