import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from '../common/facts.ts';

/** Returns that many random bytes; `randomBytes` of node:crypto outside of tests. */
export type RandomBytes = (size: number) => Uint8Array;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** Base62 digits that hold 32 bytes: 62^43 > 2^256. */
const RANDOM_WIDTH = 43;
/** Base62 digits that hold a CRC-32: 62^6 > 2^32. */
const CHECKSUM_WIDTH = 6;
const SECRET = /^([a-z0-9]+)_(live|test)_[0-9A-Za-z]{49}$/;
/** The characters after the prefix. */
const REST_LENGTH = '_live_'.length + RANDOM_WIDTH + CHECKSUM_WIDTH;

/** A new secret: its prefix, `_live_` or `_test_`, 32 random bytes in base62, and a checksum of the text before it. */
export function mintSecret(prefix: string, mode: Mode, randomBytes: RandomBytes): string {
  const random = BigInt(`0x${Buffer.from(randomBytes(RANDOM_BYTES)).toString('hex')}`);
  const body = `${prefix}_${mode}_${base62(random, RANDOM_WIDTH)}`;
  return body + checksum(body);
}

/** A new key ID, which is public: `key_` and 16 characters. */
export function mintKeyId(randomBytes: RandomBytes): string {
  const random = BigInt(`0x${Buffer.from(randomBytes(10)).toString('hex')}`);
  return `key_${random.toString(32).padStart(16, '0')}`;
}

/**
 * The mode of a text with the format and checksum of a secret; undefined for any other text. Detects typos and made-up
 * keys without a storage lookup, and reads at most the characters of a secret.
 */
export function parseSecret(text: string, prefix: string): Mode | undefined {
  if (text.length !== prefix.length + REST_LENGTH) return undefined;
  const [, found, mode] = SECRET.exec(text) ?? [];
  if (found !== prefix) return undefined;
  if (mode !== 'live' && mode !== 'test') return undefined;
  const body = text.slice(0, -CHECKSUM_WIDTH);
  return text.endsWith(checksum(body)) ? mode : undefined;
}

/** SHA-256 of a secret, 32 bytes. With 256 random bits in it, it needs neither salt nor a slow hash. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

const SECRET_WITHIN = /_(live|test)_[0-9A-Za-z]{20,}/g;

/**
 * Replaces each secret in a text, even if it is truncated, with its prefix and `…`. For texts that contain caller input: a key sent
 * in the wrong place, such as a query or a body, must not reach a log through an error message.
 */
export function redactSecrets(text: string): string {
  return text.replace(SECRET_WITHIN, '_$1_…');
}

/** The part of a secret that may be shown later: its prefix with the mode, and its last four characters. */
export function secretHint(secret: string): string {
  return `${/^.*_(?:live|test)_/.exec(secret)?.[0]}…${secret.slice(-4)}`;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_WIDTH);
}

function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, '0');
}
