/** The tables of every service: keys and their secrets, what keys have used, and idempotency records. */
import type { Mode } from '../common/facts.ts';
import {
  groupByKey,
  hasEarlierBan,
  idempotencyColumns,
  keyColumns,
  toIdempotencyRecord,
  toMode,
  toSecretWithKey,
  toUsage,
  unexpected,
  usageColumns,
  usageNumbers,
} from './rows.ts';
import {
  CHUNK,
  type IdempotencyStore,
  type JobStore,
  type KeyStore,
  type KeyWithSecrets,
  type SecretRecord,
  type Storage,
  type UsageStore,
} from './storage.ts';
import { type Answer, type Send, type SqlValue, type Statement, statements } from './store-definition.ts';

/** Sends statements to an engine, on a connection for reads or in a transaction. Translates the errors of the engine. */
export type Sender = {
  send: Send;
  sendAll: (statement: Statement, rows: readonly (readonly SqlValue[])[]) => Promise<Answer>;
};

type Dialect = {
  /** Unix milliseconds by the clock of the database. */
  now: string;
  /** The column with the order in which rows were added. */
  position: string;
  lesser: string;
  greater: string;
  /** The statements for many rows get their values from these. */
  hashes: string;
  newUsage: string;
  /** The statements that only one engine needs, or that each has of its own. */
  keys: { lock?: string };
  usage: { find: string; endCountedBan?: string };
  idempotency: { deleteOld: string; lock?: string };
};

export type TableSql = ReturnType<typeof tableSql>;

/** The statements of an engine, with parameters such as `$1`. */
export function tableSql({ position, lesser, greater, now, ...own }: Dialect) {
  const withSecrets = `SELECT ${keyColumns} FROM keys JOIN secrets ON secrets.key_id = keys.id`;
  const keys = {
    mode: "SELECT value FROM settings WHERE name = 'mode'",
    claimMode: "INSERT INTO settings (name, value) VALUES ('mode', $1) ON CONFLICT (name) DO NOTHING",
    add: `INSERT INTO keys (id, plan, scope, name, per_minute, per_day, created_at, expires_at, revoked_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    addSecret: 'INSERT INTO secrets (hash, key_id, hint, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)',
    findBySecrets: `SELECT ${keyColumns} FROM secrets JOIN keys ON keys.id = secrets.key_id
      WHERE secrets.hash = ${own.hashes}`,
    find: `${withSecrets} WHERE keys.id = $1 ORDER BY secrets.created_at, secrets.${position}`,
    list: `${withSecrets} ORDER BY keys.created_at, keys.${position}, secrets.created_at, secrets.${position}`,
    endSecrets: `UPDATE secrets SET expires_at = ${lesser}(coalesce(expires_at, $1), $1) WHERE key_id = $2`,
    revoke: 'UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL',
    update: 'UPDATE keys SET plan = $1, scope = $2, name = $3, per_minute = $4, per_day = $5 WHERE id = $6',
    unban: `UPDATE keys SET unbanned_at = ${greater}(coalesce(unbanned_at, $1), $1) WHERE id = $2`,
    ...own.keys,
  };
  const usage = {
    // "day >= $1", because a later day was counted by a clock that has been set back since. This reads the whole table, one row
    // for each key, once at start; an index would slow down each of the many saves.
    load: `SELECT ${usageColumns} FROM usage WHERE day >= $1 OR banned_until > $2`,
    save: `INSERT INTO usage (${usageColumns}) ${own.newUsage}
      ON CONFLICT (key_id) DO UPDATE SET ${usageNumbers.map((name) => `${name} = excluded.${name}`).join(', ')}
      WHERE NOT ${hasEarlierBan}`,
    endBan: 'UPDATE usage SET bans = 0, banned_until = 0 WHERE key_id = $1 AND banned_until <= $2',
    ...own.usage,
  };
  const idempotency = {
    find: `SELECT ${idempotencyColumns} FROM idempotency_records
      WHERE key_id = $1 AND idempotency_key = $2 AND created_at >= $3`,
    save: `INSERT INTO idempotency_records (key_id, idempotency_key, ${idempotencyColumns})
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
      fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
      created_at = excluded.created_at`,
    ...own.idempotency,
  };
  const jobs = {
    claim: `INSERT INTO jobs (name, lease, due_at) VALUES ($1, $2, ${now} + $3)
      ON CONFLICT (name) DO UPDATE SET lease = excluded.lease, due_at = excluded.due_at
      WHERE jobs.due_at <= ${now} OR ($4 = 1 AND jobs.lease IS NULL)`,
    end: 'UPDATE jobs SET lease = NULL, due_at = due_at + $3 WHERE name = $1 AND lease = $2',
  };
  return {
    jobs: statements('jobs', jobs),
    keys: statements('keys', keys),
    usage: statements('usage', usage),
    idempotency: statements('idempotency', idempotency),
  };
}

export type Access = {
  read: Sender;
  readLong: <T>(work: (sender: Sender) => Promise<T>) => Promise<T>;
  /** For single statements, each of which is a transaction. */
  write: Pick<Sender, 'send'>;
  transact: <T>(work: (sender: Sender) => Promise<T>) => Promise<T>;
};

/** The table of keys and their secrets. Each change is one transaction. */
function keyTable({ keys: sql, usage }: TableSql, { read, readLong, write, transact }: Access): KeyStore {
  async function lock(send: Send, id: string): Promise<void> {
    if (sql.lock !== undefined) await send(sql.lock, [id]);
  }
  async function addSecret(
    send: Send,
    keyId: string,
    { hash, hint, createdAt, expiresAt }: SecretRecord,
  ): Promise<void> {
    await send(sql.addSecret, [hash, keyId, hint, createdAt, expiresAt ?? null]);
  }
  async function find(send: Send, id: string): Promise<KeyWithSecrets | undefined> {
    return groupByKey((await send(sql.find, [id])).rows)[0];
  }
  async function mode(): Promise<Mode | undefined> {
    const [row] = (await read.send(sql.mode)).rows;
    return row && toMode(row);
  }

  return {
    mode,
    async claimMode(wanted) {
      // Most servers find the mode stored, and may lack the permission to write.
      const stored = await mode();
      if (stored !== undefined) return stored;
      await write.send(sql.claimMode, [wanted]);
      return (await mode()) ?? unexpected('the mode');
    },
    add: (key, secret) =>
      transact(async ({ send }) => {
        const { id, plan, scope, name, perMinute, perDay, createdAt, expiresAt, revokedAt } = key;
        const limits = [perMinute ?? null, perDay ?? null];
        const times = [createdAt, expiresAt ?? null, revokedAt ?? null];
        await send(sql.add, [id, plan, scope, name ?? null, ...limits, ...times]);
        await addSecret(send, id, secret);
      }),
    async findBySecrets(hashes) {
      const rows = hashes.map((hash) => [hash]);
      return (await read.sendAll(sql.findBySecrets, rows)).rows.map(toSecretWithKey);
    },
    find: (id) => find(read.send, id),
    list: () => readLong(async ({ send }) => groupByKey((await send(sql.list)).rows)),
    rotate: (id, secret, olderEndAt) =>
      transact(async ({ send }) => {
        await lock(send, id);
        await send(sql.endSecrets, [olderEndAt, id]);
        await addSecret(send, id, secret);
      }),
    async revoke(id, at) {
      await write.send(sql.revoke, [at, id]);
    },
    update: (id, change) =>
      transact(async ({ send }) => {
        await lock(send, id);
        const found = await find(send, id);
        if (found === undefined) return undefined;
        const changed = change(found);
        const { plan, scope, name, perMinute, perDay } = changed;
        await send(sql.update, [plan, scope, name ?? null, perMinute ?? null, perDay ?? null, id]);
        return changed;
      }),
    unban: (id, unbannedAt) =>
      transact(async ({ send }) => {
        await send(sql.unban, [unbannedAt, id]);
        await send(usage.endBan, [id, Number.MAX_SAFE_INTEGER]);
        if (usage.endCountedBan !== undefined) await send(usage.endCountedBan, [`key:${id}`, Number.MAX_SAFE_INTEGER]);
      }),
  };
}

/** The table of first responses to requests with an Idempotency-Key, inside a transaction. */
export function idempotencyTable({ idempotency: sql }: TableSql, { send }: Pick<Sender, 'send'>): IdempotencyStore {
  return {
    /** Until the transaction ends, others that look for the same record wait, so that a request takes effect only once. */
    async findIdempotencyRecord(keyId, idempotencyKey, notBefore) {
      // In a separate statement, so that the next one sees what was committed while this one waited.
      if (sql.lock !== undefined) await send(sql.lock, [keyId, idempotencyKey]);
      const [row] = (await send(sql.find, [keyId, idempotencyKey, notBefore])).rows;
      return row && toIdempotencyRecord(row);
    },
    async saveIdempotencyRecord(keyId, idempotencyKey, { fingerprint, status, headers, body, createdAt }) {
      const values = [fingerprint, status, JSON.stringify(headers), body, createdAt];
      await send(sql.save, [keyId, idempotencyKey, ...values]);
    },
  };
}

export function tableStores(
  sql: TableSql,
  access: Access,
): Pick<Storage, 'keys' | 'usage' | 'jobs' | 'deleteIdempotencyRecords'> {
  const { read, readLong, write, transact } = access;
  const keys = keyTable(sql, access);
  const jobs: JobStore = {
    claim: async (name, lease, limitMs, isForced) =>
      (await write.send(sql.jobs.claim, [name, lease, limitMs, Number(isForced)])).count === 1,
    end: async (name, lease, laterMs) => void (await write.send(sql.jobs.end, [name, lease, laterMs])),
  };
  const usage: UsageStore = {
    load: (day, bannedSince) =>
      readLong(async ({ send }) => (await send(sql.usage.load, [day, bannedSince])).rows.map(toUsage)),
    async find(keyId) {
      const [row] = (await read.send(sql.usage.find, [keyId])).rows;
      return row && toUsage(row);
    },
    async endBan(keyId, bannedUntil) {
      await write.send(sql.usage.endBan, [keyId, bannedUntil]);
    },
    async save(records) {
      const rows = records.map(({ keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil }) => {
        return [keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil];
      });
      let start = 0;
      // Even without records, to find out whether the engine takes writes.
      do {
        const chunk = rows.slice(start, start + CHUNK);
        await transact(({ sendAll }) => sendAll(sql.usage.save, chunk));
        start += CHUNK;
      } while (start < rows.length);
    },
  };
  async function deleteIdempotencyRecords(before: number): Promise<void> {
    while ((await write.send(sql.idempotency.deleteOld, [before, CHUNK])).count === CHUNK);
  }
  return { keys, usage, jobs, deleteIdempotencyRecords };
}
