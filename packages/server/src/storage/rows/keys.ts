import { isPlan } from '../guards.ts';
import type { KeyRecord, KeyWithSecrets, SecretRecord } from '../storage.ts';
import { bytes, integer, type Row, text, unexpected } from '../values.ts';

/** What is read of a key and one of its secrets, in the order that the functions below expect. */
export const keyColumns = `keys.id, keys.plan, keys.name, keys.per_minute, keys.per_day, keys.created_at, keys.expires_at,
    keys.revoked_at, secrets.hash, secrets.hint, secrets.created_at, secrets.expires_at`;

/** Rows of one key follow each other. */
export function groupByKey(rows: readonly Row[]): KeyWithSecrets[] {
  const keys: KeyWithSecrets[] = [];
  for (const row of rows) {
    const last = keys.at(-1);
    if (last !== undefined && last.id === row[0]) last.secrets.push(toSecret(row));
    else keys.push({ ...toKey(row), secrets: [toSecret(row)] });
  }
  return keys;
}

/** What is absent stays absent; put in one by one, since an object that loses properties is slow from then on. */
export function toKey(row: Row): KeyRecord {
  const plan = row[1];
  const key: KeyRecord = {
    id: text(row[0]),
    plan: isPlan(plan) ? plan : unexpected('a plan'),
    createdAt: integer(row[5]),
  };
  if (row[2] !== null) key.name = text(row[2]);
  if (row[3] !== null) key.perMinute = integer(row[3]);
  if (row[4] !== null) key.perDay = integer(row[4]);
  if (row[6] !== null) key.expiresAt = integer(row[6]);
  if (row[7] !== null) key.revokedAt = integer(row[7]);
  return key;
}

export function toSecret(row: Row): SecretRecord {
  const secret: SecretRecord = { hash: bytes(row[8]), hint: text(row[9]), createdAt: integer(row[10]) };
  if (row[11] !== null) secret.expiresAt = integer(row[11]);
  return secret;
}
