import { groupByKey, keyColumns, toKey, toSecret } from '../../rows/keys.ts';
import type { KeyRecord, KeyWithSecrets, SecretRecord } from '../../storage.ts';
import { type Send, statements } from '../connection/statement.ts';

const withSecrets = `SELECT ${keyColumns} FROM keys JOIN secrets ON secrets.key_id = keys.id`;

export const keySql = statements('keys', {
  add: `INSERT INTO keys (id, plan, name, per_minute, per_day, created_at, expires_at, revoked_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
  addSecret: 'INSERT INTO secrets (hash, key_id, hint, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)',
  findBySecret: `SELECT ${keyColumns} FROM secrets JOIN keys ON keys.id = secrets.key_id WHERE secrets.hash = $1`,
  find: `${withSecrets} WHERE keys.id = $1 ORDER BY secrets.created_at, secrets.position`,
  list: `${withSecrets} ORDER BY keys.created_at, keys.position, secrets.created_at, secrets.position`,
  // Of two that rotate a key at once, the second must see the secret of the first.
  lock: 'SELECT 1 FROM keys WHERE id = $1 FOR NO KEY UPDATE',
  endSecrets: 'UPDATE secrets SET expires_at = least(coalesce(expires_at, $1), $1) WHERE key_id = $2',
  revoke: 'UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL',
});

/** The tables of keys and their secrets. A change of both is to be made inside a transaction. */
export function keyTable(send: Send) {
  async function addSecret(keyId: string, { hash, hint, createdAt, expiresAt }: SecretRecord): Promise<void> {
    await send(keySql.addSecret, [hash, keyId, hint, createdAt, expiresAt ?? null]);
  }
  return {
    async add(key: KeyRecord, secret: SecretRecord): Promise<void> {
      const { id, plan, name, perMinute, perDay, createdAt, expiresAt, revokedAt } = key;
      const limits = [perMinute ?? null, perDay ?? null];
      await send(keySql.add, [id, plan, name ?? null, ...limits, createdAt, expiresAt ?? null, revokedAt ?? null]);
      await addSecret(id, secret);
    },
    async findBySecret(hash: Uint8Array): Promise<{ key: KeyRecord; secret: SecretRecord } | undefined> {
      const [row] = (await send(keySql.findBySecret, [hash])).rows;
      return row && { key: toKey(row), secret: toSecret(row) };
    },
    async find(id: string): Promise<KeyWithSecrets | undefined> {
      return groupByKey((await send(keySql.find, [id])).rows)[0];
    },
    async list(): Promise<KeyWithSecrets[]> {
      return groupByKey((await send(keySql.list)).rows);
    },
    async rotate(id: string, secret: SecretRecord, olderEndAt: number): Promise<void> {
      await send(keySql.lock, [id]);
      await send(keySql.endSecrets, [olderEndAt, id]);
      await addSecret(id, secret);
    },
    async revoke(id: string, at: number): Promise<void> {
      await send(keySql.revoke, [at, id]);
    },
  };
}
