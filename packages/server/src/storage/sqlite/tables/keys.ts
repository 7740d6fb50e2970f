import type { DatabaseSync } from 'node:sqlite';
import { groupByKey, keyColumns, toKey, toSecret } from '../../rows/keys.ts';
import type { KeyRecord, KeyWithSecrets, SecretRecord } from '../../storage.ts';

const select = `SELECT ${keyColumns}`;

export const keySql = {
  add: `INSERT INTO keys (id, plan, name, per_minute, per_day, created_at, expires_at, revoked_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  addSecret: 'INSERT INTO secrets (hash, key_id, hint, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  findBySecret: `${select} FROM secrets JOIN keys ON keys.id = secrets.key_id WHERE secrets.hash = ?`,
  find: `${select} FROM keys JOIN secrets ON secrets.key_id = keys.id WHERE keys.id = ?
    ORDER BY secrets.created_at, secrets.rowid`,
  list: `${select} FROM keys JOIN secrets ON secrets.key_id = keys.id
    ORDER BY keys.created_at, keys.rowid, secrets.created_at, secrets.rowid`,
  endSecrets: 'UPDATE secrets SET expires_at = min(ifnull(expires_at, ?1), ?1) WHERE key_id = ?2',
  revoke: 'UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
};

export type KeyTable = ReturnType<typeof keyTable>;

/** The tables of keys and their secrets, on one connection. Each change is to be made inside a transaction. */
export function keyTable(database: DatabaseSync) {
  const add = database.prepare(keySql.add);
  const addSecret = database.prepare(keySql.addSecret);
  const findBySecret = database.prepare(keySql.findBySecret, { returnArrays: true });
  const find = database.prepare(keySql.find, { returnArrays: true });
  const list = database.prepare(keySql.list, { returnArrays: true });
  const endSecrets = database.prepare(keySql.endSecrets);
  const revoke = database.prepare(keySql.revoke);

  function insertSecret(keyId: string, { hash, hint, createdAt, expiresAt }: SecretRecord): void {
    addSecret.run(hash, keyId, hint, createdAt, expiresAt ?? null);
  }
  return {
    add(key: KeyRecord, secret: SecretRecord): void {
      const { id, plan, name, perMinute, perDay, createdAt, expiresAt, revokedAt } = key;
      const limits = [perMinute ?? null, perDay ?? null];
      add.run(id, plan, name ?? null, ...limits, createdAt, expiresAt ?? null, revokedAt ?? null);
      insertSecret(id, secret);
    },
    findBySecret(hash: Uint8Array): { key: KeyRecord; secret: SecretRecord } | undefined {
      const row = findBySecret.get(hash);
      return row && { key: toKey(row), secret: toSecret(row) };
    },
    find: (id: string): KeyWithSecrets | undefined => groupByKey(find.all(id))[0],
    list: (): KeyWithSecrets[] => groupByKey(list.all()),
    rotate(id: string, secret: SecretRecord, olderEndAt: number): void {
      endSecrets.run(olderEndAt, id);
      insertSecret(id, secret);
    },
    revoke(id: string, at: number): void {
      revoke.run(at, id);
    },
  };
}
