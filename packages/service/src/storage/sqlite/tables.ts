import type { DatabaseSync } from 'node:sqlite';
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
  usageColumns,
} from '../rows.ts';
import type {
  ActivityRecord,
  AuditRecord,
  DailyCalls,
  IdempotencyRecord,
  KeyRecord,
  KeyWithSecrets,
  SecretRecord,
  SecretWithKey,
  UsageRecord,
} from '../storage.ts';
import { prepareAll } from '../store-definition.ts';

const select = `SELECT ${keyColumns}`;

export const keySql = {
  mode: "SELECT value FROM settings WHERE name = 'mode'",
  claimMode: "INSERT INTO settings (name, value) VALUES ('mode', ?) ON CONFLICT (name) DO NOTHING",
  add: `INSERT INTO keys (id, plan, scope, name, per_minute, per_day, created_at, expires_at, revoked_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  addSecret: 'INSERT INTO secrets (hash, key_id, hint, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  findBySecret: `${select} FROM secrets JOIN keys ON keys.id = secrets.key_id WHERE secrets.hash = ?`,
  find: `${select} FROM keys JOIN secrets ON secrets.key_id = keys.id WHERE keys.id = ?
    ORDER BY secrets.created_at, secrets.rowid`,
  list: `${select} FROM keys JOIN secrets ON secrets.key_id = keys.id
    ORDER BY keys.created_at, keys.rowid, secrets.created_at, secrets.rowid`,
  endSecrets: 'UPDATE secrets SET expires_at = min(ifnull(expires_at, ?1), ?1) WHERE key_id = ?2',
  revoke: 'UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  update: 'UPDATE keys SET plan = ?, scope = ?, name = ?, per_minute = ?, per_day = ? WHERE id = ?',
  unban: 'UPDATE keys SET unbanned_at = max(ifnull(unbanned_at, ?1), ?1) WHERE id = ?2',
  addAudit: `INSERT INTO key_audit (${auditColumns}) VALUES (?, ?, ?, ?, ?)`,
  auditOf: `SELECT ${auditColumns} FROM key_audit WHERE key_id = ? ORDER BY id`,
  wholeAudit: `SELECT ${auditColumns} FROM key_audit ORDER BY id`,
  addDailyCalls: `INSERT INTO key_days (key_id, day, calls) VALUES (?, ?, ?)
    ON CONFLICT (key_id, day) DO UPDATE SET calls = calls + excluded.calls`,
  dailyCalls: 'SELECT day, calls FROM key_days WHERE key_id = ? AND day >= ? ORDER BY day',
  deleteDailyCalls: `DELETE FROM key_days
    WHERE (key_id, day) IN (SELECT key_id, day FROM key_days WHERE day < ? LIMIT ?)`,
  addActivity: `INSERT INTO key_activity (${activityColumns}) VALUES (?, ?, ?, ?)
    ON CONFLICT (key_id, operation) DO UPDATE SET calls = calls + excluded.calls,
    last_called_at = max(last_called_at, excluded.last_called_at)`,
  activityOf: `SELECT ${activityColumns} FROM key_activity WHERE key_id = ?`,
  allActivity: `SELECT ${activityColumns} FROM key_activity`,
};

export type KeyTable = ReturnType<typeof keyTable>;

/** The tables of keys and their secrets, on one connection. Each change belongs inside a transaction. */
export function keyTable(database: DatabaseSync) {
  const prepared = prepareAll(database, keySql);
  const endBan = database.prepare(usageSql.endBan);

  function insertSecret(keyId: string, { hash, hint, createdAt, expiresAt }: SecretRecord): void {
    prepared.addSecret.run(hash, keyId, hint, createdAt, expiresAt ?? null);
  }
  const find = (id: string): KeyWithSecrets | undefined => groupByKey(prepared.find.all(id))[0];
  const record = (entry: AuditRecord) => void prepared.addAudit.run(...fromAudit(entry));
  return {
    mode(): Mode | undefined {
      const row = prepared.mode.get();
      return row && toMode(row);
    },
    claimMode(wanted: Mode): void {
      prepared.claimMode.run(wanted);
    },
    add(key: KeyRecord, secret: SecretRecord, by: string): void {
      const { id, plan, scope, name, perMinute, perDay, createdAt, expiresAt, revokedAt } = key;
      const limits = [perMinute ?? null, perDay ?? null];
      prepared.add.run(id, plan, scope, name ?? null, ...limits, createdAt, expiresAt ?? null, revokedAt ?? null);
      insertSecret(id, secret);
      record({ keyId: id, at: createdAt, by, action: 'create', details: creationDetails(key) });
    },
    /** One search of the index for each hash costs less than one statement with a list of any length. */
    findBySecrets: (hashes: readonly Uint8Array[]): SecretWithKey[] =>
      hashes.flatMap((hash) => prepared.findBySecret.all(hash).map(toSecretWithKey)),
    find,
    list: (): KeyWithSecrets[] => groupByKey(prepared.list.all()),
    rotate(id: string, secret: SecretRecord, olderEndAt: number, by: string): void {
      prepared.endSecrets.run(olderEndAt, id);
      insertSecret(id, secret);
      record({ keyId: id, at: secret.createdAt, by, action: 'rotate', details: { olderEndAt } });
    },
    revoke(id: string, at: number, by: string): void {
      if (prepared.revoke.run(at, id).changes === 0) return;
      record({ keyId: id, at, by, action: 'revoke', details: {} });
    },
    update(id: string, change: (key: KeyRecord) => KeyRecord, at: number, by: string): KeyRecord | undefined {
      const found = find(id);
      if (found === undefined) return undefined;
      const changed = change(found);
      const details = changesBetween(found, changed);
      if (Object.keys(details).length === 0) return changed;
      prepared.update.run(...changeableOf(changed), id);
      record({ keyId: id, at, by, action: 'set', details });
      return changed;
    },
    unban(id: string, unbannedAt: number, at: number, by: string): void {
      if (prepared.unban.run(unbannedAt, id).changes === 0) return;
      endBan.run(id, Number.MAX_SAFE_INTEGER);
      record({ keyId: id, at, by, action: 'unban', details: {} });
    },
    audit: (id?: string): AuditRecord[] =>
      (id === undefined ? prepared.wholeAudit.all() : prepared.auditOf.all(id)).map(toAudit),
    addActivity(records: readonly ActivityRecord[]): void {
      for (const { keyId, operation, calls, lastCalledAt } of records) {
        prepared.addActivity.run(keyId, operation, calls, lastCalledAt);
      }
      for (const { keyId, day, calls } of callsByDay(records)) prepared.addDailyCalls.run(keyId, day, calls);
    },
    dailyCalls: (id: string, since: number): DailyCalls[] => prepared.dailyCalls.all(id, since).map(toDailyCalls),
    /** Deletes at most `limit` rows, and returns how many. */
    deleteDailyCalls: (before: number, limit: number) => Number(prepared.deleteDailyCalls.run(before, limit).changes),
    activity: (id?: string): ActivityRecord[] =>
      (id === undefined ? prepared.allActivity.all() : prepared.activityOf.all(id)).map(toActivity),
  };
}

const usageNumbers = usageColumns.split(', ').slice(1);

export const usageSql = {
  // "day >= ?", because a later day was counted by a clock that has been set back since. This reads the whole table, one row
  // for each key, once at start; an index would slow down each of the many saves.
  load: `SELECT ${usageColumns} FROM usage WHERE day >= ? OR banned_until > ?`,
  find: `SELECT ${usageColumns} FROM usage WHERE key_id = ?`,
  save: `INSERT INTO usage (${usageColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key_id) DO UPDATE SET ${usageNumbers.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE NOT ${hasEarlierBan}`,
  endBan: 'UPDATE usage SET bans = 0, banned_until = 0 WHERE key_id = ? AND banned_until <= ?',
};

/** The table of what keys have used, on one connection. */
export function usageTable(database: DatabaseSync) {
  const { load, find, save, endBan } = prepareAll(database, usageSql);
  return {
    endBan: (keyId: string, bannedUntil: number): void => void endBan.run(keyId, bannedUntil),
    load: (day: number, bannedSince: number): UsageRecord[] => load.all(day, bannedSince).map(toUsage),
    find(keyId: string): UsageRecord | undefined {
      const row = find.get(keyId);
      return row && toUsage(row);
    },
    save({ keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil }: UsageRecord): void {
      save.run(keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil);
    },
  };
}

export const idempotencySql = {
  find: `SELECT ${idempotencyColumns} FROM idempotency_records
    WHERE key_id = ? AND idempotency_key = ? AND created_at >= ?`,
  save: `INSERT OR REPLACE INTO idempotency_records (key_id, idempotency_key, ${idempotencyColumns})
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  deleteOld: `DELETE FROM idempotency_records
    WHERE rowid IN (SELECT rowid FROM idempotency_records WHERE created_at < ? LIMIT ?)`,
};

/** The table of first responses to requests with an Idempotency-Key, on one connection. */
export function idempotencyTable(database: DatabaseSync) {
  const { find, save, deleteOld } = prepareAll(database, idempotencySql);
  return {
    find(keyId: string, idempotencyKey: string, notBefore: number): IdempotencyRecord | undefined {
      const row = find.get(keyId, idempotencyKey, notBefore);
      return row && toIdempotencyRecord(row);
    },
    save(keyId: string, idempotencyKey: string, record: IdempotencyRecord): void {
      const { fingerprint, status, headers, body, createdAt } = record;
      save.run(keyId, idempotencyKey, fingerprint, status, JSON.stringify(headers), body, createdAt);
    },
    /** Deletes at most `limit` records created before `before`, and returns how many. */
    deleteOld(before: number, limit: number): number {
      return Number(deleteOld.run(before, limit).changes);
    },
  };
}
