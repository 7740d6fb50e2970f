import { isPlan } from '../guards.ts';
import type { KeyRecord, KeyWithSecrets, SecretRecord } from '../storage.ts';
import { bytes, compact, integer, optional, type Row, text, unexpected } from '../values.ts';

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

export function toKey(row: Row): KeyRecord {
  const plan = row[1];
  return compact<KeyRecord>({
    id: text(row[0]),
    plan: isPlan(plan) ? plan : unexpected('a plan'),
    name: optional(row[2], text),
    perMinute: optional(row[3], integer),
    perDay: optional(row[4], integer),
    createdAt: integer(row[5]),
    expiresAt: optional(row[6], integer),
    revokedAt: optional(row[7], integer),
  });
}

export function toSecret(row: Row): SecretRecord {
  return compact<SecretRecord>({
    hash: bytes(row[8]),
    hint: text(row[9]),
    createdAt: integer(row[10]),
    expiresAt: optional(row[11], integer),
  });
}
