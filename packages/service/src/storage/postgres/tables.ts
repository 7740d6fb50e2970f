import type { Mode } from '../../common/contract.ts';
import {
  activityColumns,
  auditColumns,
  callsByDay,
  changeableOf,
  changesBetween,
  creationDetails,
  fromAudit,
  groupByKey,
  hasEarlierBan,
  idempotencyColumns,
  keyColumns,
  toActivity,
  toAudit,
  toDailyCalls,
  toIdempotencyRecord,
  toMode,
  toSecretWithKey,
  toUsage,
  unexpected,
  usageColumns,
} from '../rows.ts';
import type {
  AuditRecord,
  IdempotencyRecord,
  KeyRecord,
  KeyStore,
  KeyWithSecrets,
  SecretRecord,
  UsageStore,
} from '../storage.ts';
import { type Send, statements } from '../store-definition.ts';

const withSecrets = `SELECT ${keyColumns} FROM keys JOIN secrets ON secrets.key_id = keys.id`;

export const keySql = statements('keys', {
  mode: "SELECT value FROM settings WHERE name = 'mode'",
  claimMode: "INSERT INTO settings (name, value) VALUES ('mode', $1) ON CONFLICT (name) DO NOTHING",
  add: `INSERT INTO keys (id, plan, scope, name, per_minute, per_day, created_at, expires_at, revoked_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  addSecret: 'INSERT INTO secrets (hash, key_id, hint, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)',
  findBySecrets: `SELECT ${keyColumns} FROM secrets JOIN keys ON keys.id = secrets.key_id
    WHERE secrets.hash = ANY ($1::bytea[])`,
  find: `${withSecrets} WHERE keys.id = $1 ORDER BY secrets.created_at, secrets.position`,
  list: `${withSecrets} ORDER BY keys.created_at, keys.position, secrets.created_at, secrets.position`,
  // If two processes rotate a key at once, the second one must see the new secret of the first.
  lock: 'SELECT 1 FROM keys WHERE id = $1 FOR NO KEY UPDATE',
  endSecrets: 'UPDATE secrets SET expires_at = least(coalesce(expires_at, $1), $1) WHERE key_id = $2',
  revoke: 'UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL',
  update: 'UPDATE keys SET plan = $1, scope = $2, name = $3, per_minute = $4, per_day = $5 WHERE id = $6',
  unban: 'UPDATE keys SET unbanned_at = greatest(unbanned_at, $1) WHERE id = $2',
  addAudit: `INSERT INTO key_audit (${auditColumns}) VALUES ($1, $2, $3, $4, $5)`,
  auditOf: `SELECT ${auditColumns} FROM key_audit WHERE key_id = $1 ORDER BY id`,
  wholeAudit: `SELECT ${auditColumns} FROM key_audit ORDER BY id`,
  addDailyCalls: `INSERT INTO key_days (key_id, day, calls)
    SELECT key_id, day, sum(calls) FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS added (key_id, day, calls)
    GROUP BY key_id, day ORDER BY key_id, day
    ON CONFLICT (key_id, day) DO UPDATE SET calls = key_days.calls + excluded.calls`,
  dailyCalls: 'SELECT day, calls FROM key_days WHERE key_id = $1 AND day >= $2 ORDER BY day',
  deleteDailyCalls: 'DELETE FROM key_days WHERE ctid = ANY (ARRAY(SELECT ctid FROM key_days WHERE day < $1 LIMIT $2))',
  // In ascending order, so that two processes that save at once cannot deadlock.
  addActivity: `INSERT INTO key_activity (${activityColumns})
    SELECT key_id, operation, sum(calls), max(last_called_at)
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS added (${activityColumns})
      GROUP BY key_id, operation ORDER BY key_id, operation
    ON CONFLICT (key_id, operation) DO UPDATE SET calls = key_activity.calls + excluded.calls,
    last_called_at = greatest(key_activity.last_called_at, excluded.last_called_at)`,
  activityOf: `SELECT ${activityColumns} FROM key_activity WHERE key_id = $1`,
  allActivity: `SELECT ${activityColumns} FROM key_activity`,
});

/** The tables of keys and their secrets. A change of both belongs inside a transaction. */
export function keyTable(send: Send): Omit<KeyStore, 'deleteDailyCalls'> & {
  /** Deletes at most `limit` rows, and returns how many. */
  deleteDailyCalls(before: number, limit: number): Promise<number>;
} {
  async function addSecret(keyId: string, { hash, hint, createdAt, expiresAt }: SecretRecord): Promise<void> {
    await send(keySql.addSecret, [hash, keyId, hint, createdAt, expiresAt ?? null]);
  }
  async function find(id: string): Promise<KeyWithSecrets | undefined> {
    return groupByKey((await send(keySql.find, [id])).rows)[0];
  }
  async function record(entry: AuditRecord): Promise<void> {
    await send(keySql.addAudit, fromAudit(entry));
  }
  async function mode(): Promise<Mode | undefined> {
    const [row] = (await send(keySql.mode)).rows;
    return row && toMode(row);
  }
  async function add(key: KeyRecord, secret: SecretRecord, by: string): Promise<void> {
    const { id, plan, scope, name, perMinute, perDay, createdAt, expiresAt, revokedAt } = key;
    const limits = [perMinute ?? null, perDay ?? null];
    const times = [createdAt, expiresAt ?? null, revokedAt ?? null];
    await send(keySql.add, [id, plan, scope, name ?? null, ...limits, ...times]);
    await addSecret(id, secret);
    await record({ keyId: id, at: createdAt, by, action: 'create', details: creationDetails(key) });
  }

  return {
    mode,
    async claimMode(wanted) {
      // Most servers find the mode stored, and may lack the permission to write.
      const stored = await mode();
      if (stored !== undefined) return stored;
      await send(keySql.claimMode, [wanted]);
      return (await mode()) ?? unexpected('the mode');
    },
    add,
    async addAll(entries, by) {
      for (const { key, secret } of entries) await add(key, secret, by);
    },
    async findBySecrets(hashes) {
      return (await send(keySql.findBySecrets, [hashes])).rows.map(toSecretWithKey);
    },
    find,
    async list() {
      return groupByKey((await send(keySql.list)).rows);
    },
    async rotate(id, secret, olderEndAt, by) {
      await send(keySql.lock, [id]);
      await send(keySql.endSecrets, [olderEndAt, id]);
      await addSecret(id, secret);
      await record({ keyId: id, at: secret.createdAt, by, action: 'rotate', details: { olderEndAt } });
    },
    async revoke(id, at, by) {
      if ((await send(keySql.revoke, [at, id])).count === 0) return;
      await record({ keyId: id, at, by, action: 'revoke', details: {} });
    },
    async update(id, change, at, by) {
      await send(keySql.lock, [id]);
      const found = await find(id);
      if (found === undefined) return undefined;
      const changed = change(found);
      const details = changesBetween(found, changed);
      if (Object.keys(details).length === 0) return changed;
      await send(keySql.update, [...changeableOf(changed), id]);
      await record({ keyId: id, at, by, action: 'set', details });
      return changed;
    },
    async unban(id, unbannedAt, at, by) {
      if ((await send(keySql.unban, [unbannedAt, id])).count === 0) return;
      await send(usageSql.endBan, [id, Number.MAX_SAFE_INTEGER]);
      await send(usageSql.endCountedBan, [`key:${id}`, Number.MAX_SAFE_INTEGER]);
      await record({ keyId: id, at, by, action: 'unban', details: {} });
    },
    async audit(id) {
      const { rows } = await (id === undefined ? send(keySql.wholeAudit) : send(keySql.auditOf, [id]));
      return rows.map(toAudit);
    },
    async addActivity(records) {
      await send(keySql.addActivity, [
        records.map(({ keyId }) => keyId),
        records.map(({ operation }) => operation),
        records.map(({ calls }) => calls),
        records.map(({ lastCalledAt }) => lastCalledAt),
      ]);
      const days = callsByDay(records);
      await send(keySql.addDailyCalls, [
        days.map(({ keyId }) => keyId),
        days.map(({ day }) => day),
        days.map(({ calls }) => calls),
      ]);
    },
    async dailyCalls(id, since) {
      return (await send(keySql.dailyCalls, [id, since])).rows.map(toDailyCalls);
    },
    async deleteDailyCalls(before, limit) {
      return (await send(keySql.deleteDailyCalls, [before, limit])).count;
    },
    async activity(id) {
      const { rows } = await (id === undefined ? send(keySql.allActivity) : send(keySql.activityOf, [id]));
      return rows.map(toActivity);
    },
  };
}

const usageNumbers = usageColumns.split(', ').slice(1);

export const usageSql = statements('usage', {
  // "day >= $1", because a later day was counted by a clock that has been set back since. This reads the whole table, one row
  // for each key, once at start; an index would slow down each of the many saves.
  load: `SELECT ${usageColumns} FROM usage WHERE day >= $1 OR banned_until > $2`,
  // The current windows are in `counts`, unless Redis counts, or the usage was moved here and the key has not been used since.
  find: `SELECT ${usageColumns} FROM (
      SELECT 1 AS source, $1::text AS key_id, ${usageNumbers.join(', ')} FROM counts WHERE caller = 'key:' || $1
      UNION ALL SELECT 2, ${usageColumns} FROM usage WHERE key_id = $1
    ) AS known ORDER BY minute DESC, source LIMIT 1`,
  // All records in one statement, by ascending key, so that two processes that save at once cannot deadlock.
  save: `INSERT INTO usage (${usageColumns})
    SELECT ${usageColumns} FROM unnest($1::text[], ${usageNumbers.map((_, index) => `$${index + 2}::bigint[]`).join(', ')})
      AS saved (${usageColumns}) ORDER BY key_id
    ON CONFLICT (key_id) DO UPDATE SET ${usageNumbers.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE NOT ${hasEarlierBan}`,
  endBan: 'UPDATE usage SET bans = 0, banned_until = 0 WHERE key_id = $1 AND banned_until <= $2',
  endCountedBan: `UPDATE counts SET bans = 0, banned_until = 0, refused_window = 0
    WHERE caller = $1 AND banned_until <= $2`,
});

/** The table of what keys have used. */
export function usageTable(send: Send): UsageStore {
  return {
    async endBan(keyId, bannedUntil) {
      await send(usageSql.endBan, [keyId, bannedUntil]);
    },
    async load(day, bannedSince) {
      return (await send(usageSql.load, [day, bannedSince])).rows.map(toUsage);
    },
    async find(keyId) {
      const [row] = (await send(usageSql.find, [keyId])).rows;
      return row && toUsage(row);
    },
    async save(records) {
      await send(usageSql.save, [
        records.map(({ keyId }) => keyId),
        records.map(({ minute }) => minute),
        records.map(({ minuteUsed }) => minuteUsed),
        records.map(({ day }) => day),
        records.map(({ dayUsed }) => dayUsed),
        records.map(({ bans }) => bans),
        records.map(({ bannedUntil }) => bannedUntil),
      ]);
    },
  };
}

export const idempotencySql = statements('idempotency', {
  // Nothing else here takes advisory locks of one bigint, and if two of ours collide, one of them only waits.
  lock: "SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))",
  find: `SELECT ${idempotencyColumns} FROM idempotency_records
    WHERE key_id = $1 AND idempotency_key = $2 AND created_at >= $3`,
  save: `INSERT INTO idempotency_records (key_id, idempotency_key, ${idempotencyColumns})
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
    fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
    created_at = excluded.created_at`,
  deleteOld: `DELETE FROM idempotency_records
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM idempotency_records WHERE created_at < $1 LIMIT $2))`,
});

/** The table of first responses to requests with an Idempotency-Key. */
export function idempotencyTable(send: Send) {
  return {
    /** Until the transaction ends, others that look for the same record wait, so that a request takes effect only once. */
    async findAndLock(keyId: string, idempotencyKey: string, notBefore: number) {
      // In a separate statement, so that the next one sees what was committed while this one waited.
      await send(idempotencySql.lock, [keyId, idempotencyKey]);
      const [row] = (await send(idempotencySql.find, [keyId, idempotencyKey, notBefore])).rows;
      return row && toIdempotencyRecord(row);
    },
    async save(keyId: string, idempotencyKey: string, record: IdempotencyRecord): Promise<void> {
      const { fingerprint, status, headers, body, createdAt } = record;
      const values = [fingerprint, status, JSON.stringify(headers), body, createdAt];
      await send(idempotencySql.save, [keyId, idempotencyKey, ...values]);
    },
    /** Deletes at most `limit` records created before `before`, and returns how many. */
    async deleteOld(before: number, limit: number): Promise<number> {
      return (await send(idempotencySql.deleteOld, [before, limit])).count;
    },
  };
}
