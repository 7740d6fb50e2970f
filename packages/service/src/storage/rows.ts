import { isUint8Array } from 'node:util/types';
import type { Mode } from '../common/facts.ts';
import {
  type IdempotencyRecord,
  type KeyRecord,
  type KeyWithSecrets,
  type SecretRecord,
  type SecretWithKey,
  StorageUnavailableError,
  type UsageRecord,
} from './storage.ts';

/** A row as an array, which takes half the time of an object. Absent columns are undefined. */
export type Row = Readonly<Record<number, unknown>>;

export function integer(value: unknown): number {
  return typeof value === 'number' ? value : unexpected('an integer');
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : unexpected('a text');
}

function bytes(value: unknown): Uint8Array {
  return isUint8Array(value) ? value : unexpected('bytes');
}

/** The tables are strict, so only a damaged database, or one of another program, has other values. */
export function unexpected(wanted: string): never {
  const cause = new Error(`The database holds another value where ${wanted} was expected.`);
  throw new StorageUnavailableError(cause, 'the database holds a wrong value');
}

export function toMode(row: Row): Mode {
  const mode = row[0];
  return mode === 'live' || mode === 'test' ? mode : unexpected('a mode');
}

/** A key and one of its secrets. The lists of columns below are in the order that the functions after them expect. */
export const keyColumns = `keys.id, keys.plan, keys.name, keys.per_minute, keys.per_day, keys.created_at, keys.expires_at,
    keys.revoked_at, keys.scope, secrets.hash, secrets.hint, secrets.created_at, secrets.expires_at, keys.unbanned_at`;

/** Expects the rows of each key to be adjacent. */
export function groupByKey(rows: readonly Row[]): KeyWithSecrets[] {
  const keys: KeyWithSecrets[] = [];
  for (const row of rows) {
    const last = keys.at(-1);
    if (last !== undefined && last.id === row[0]) last.secrets.push(toSecret(row));
    else keys.push({ ...toKey(row), secrets: [toSecret(row)] });
  }
  return keys;
}

/** Absent properties are never added, because an object that loses properties is slow from then on. */
function toKey(row: Row): KeyRecord {
  const key: KeyRecord = {
    id: text(row[0]),
    plan: text(row[1]),
    scope: text(row[8]),
    createdAt: integer(row[5]),
  };
  if (row[2] !== null) key.name = text(row[2]);
  if (row[3] !== null) key.perMinute = integer(row[3]);
  if (row[4] !== null) key.perDay = integer(row[4]);
  if (row[6] !== null) key.expiresAt = integer(row[6]);
  if (row[7] !== null) key.revokedAt = integer(row[7]);
  if (row[13] !== null) key.unbannedAt = integer(row[13]);
  return key;
}

function toSecret(row: Row): SecretRecord {
  const secret: SecretRecord = { hash: bytes(row[9]), hint: text(row[10]), createdAt: integer(row[11]) };
  if (row[12] !== null) secret.expiresAt = integer(row[12]);
  return secret;
}

export function toSecretWithKey(row: Row): SecretWithKey {
  return { key: toKey(row), secret: toSecret(row) };
}

export const usageColumns = 'key_id, minute, minute_used, day, day_used, bans, banned_until';
export const usageNumbers = usageColumns.split(', ').slice(1);

/**
 * Whether the record to save has an earlier ban than the stored one: several processes save a ban, and one of them may be
 * late. Comparing the ends is not enough, because a ban is shortened if the clock is set back.
 */
export const hasEarlierBan = '(usage.bans > excluded.bans AND usage.banned_until > excluded.banned_until)';

export function toUsage(row: Row): UsageRecord {
  return {
    keyId: text(row[0]),
    minute: integer(row[1]),
    minuteUsed: integer(row[2]),
    day: integer(row[3]),
    dayUsed: integer(row[4]),
    bans: integer(row[5]),
    bannedUntil: integer(row[6]),
  };
}

export const idempotencyColumns = 'fingerprint, status, headers, body, created_at';

export function toIdempotencyRecord(row: Row): IdempotencyRecord {
  return {
    fingerprint: text(row[0]),
    status: integer(row[1]),
    headers: toHeaders(text(row[2])),
    body: text(row[3]),
    createdAt: integer(row[4]),
  };
}

function toHeaders(json: string): Record<string, string> {
  const headers: unknown = JSON.parse(json);
  return Object.fromEntries(Object.entries(Object(headers)).map(([name, value]) => [name, text(value)]));
}
