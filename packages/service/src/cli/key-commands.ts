import { type Contract, hasPlans } from '../common/facts.ts';
import { type KeyRing, keyState } from '../keys/key-ring.ts';
import { hasEnded } from '../keys/verify-key.ts';
import { emptyUsage, isForgiven, quotaAt } from '../rate-limit/count-request.ts';
import { planNameOf, quotaOf } from '../rate-limit/limiter.ts';
import type { KeyRecord, KeyWithSecrets, SecretRecord, Storage } from '../storage/storage.ts';
import {
  type Arguments,
  type OptionName,
  printable,
  readChange,
  readDuration,
  readId,
  readNewKey,
  refuse,
} from './arguments.ts';
import { UsageError } from './command.ts';
import { createExample } from './help.ts';

export type KeyTools = {
  contract: Contract;
  keys: KeyRing;
  storage: Storage;
  countsInRedis: boolean;
  now: number;
  /** Prints results (stdout). */
  out: (text: string) => void;
  /** Prints messages for people (stderr). */
  note: (text: string) => void;
};

type Command = {
  options: readonly OptionName[];
  /** Reads the arguments, before a database is opened, and returns the work. */
  read: (args: Arguments, contract: Contract) => (tools: KeyTools) => Promise<void>;
};

const changes = ['plan', 'scope', 'name', 'per-minute', 'per-day'] as const;

export const commands: Readonly<Record<string, Command>> = {
  create: {
    options: [...changes, 'expires-in', 'json'],
    read(args, contract) {
      const newKey = readNewKey(args, contract);
      return async ({ keys, out, note }) => {
        const { key, secret } = await keys.create(newKey);
        if (args.values.json === true) return out(toJson({ ...keyAsJson(contract, key), key: secret }));
        const end = key.expiresAt === undefined ? '' : ` It expires at ${showTime(key.expiresAt)}.`;
        const created = `Created ${key.id}: ${keys.mode} key, ${showQuota(contract, key)}.${end}`;
        note(`${created} Store the key now; it is not shown again.\n`);
        out(`${secret}\n`);
      };
    },
  },

  list: {
    options: ['json'],
    read(args, contract) {
      refuse(args.positionals);
      return async ({ keys, now, out, note }) => {
        const found = await keys.list();
        if (args.values.json === true) return out(toJson(found.map((key) => keyWithState(contract, key, now))));
        if (found.length === 0) return note(`There are no keys yet. To create one, run: ${createExample(contract)}\n`);
        out(keyTable(contract, found, now));
      };
    },
  },

  show: {
    options: ['json'],
    read(args, contract) {
      const id = readId(args, contract);
      return async ({ keys, storage, countsInRedis, now, out }) => {
        const key = await keys.find(id);
        const used = await storage.usage.find(id);
        const usage = { ...emptyUsage(now), ...used };
        const isCounted = hasPlans(contract) && !countsInRedis;
        const quota = isCounted ? quotaAt(usage, quotaOf(key, contract.plans), now) : undefined;
        const isRemembered = now - usage.bannedUntil < (contract.banRules?.forgetAfterSeconds ?? 0) * 1_000;
        const ban = isRemembered && !isForgiven(key, usage, contract.banRules) ? usage : undefined;
        const details = {
          ...keyWithState(contract, key, now),
          // The minute in which the latest request was counted.
          lastUsedAt: used === undefined || countsInRedis ? undefined : iso(used.minute * 60_000),
          minute: quota && { ...quota.minute, reset: iso(quota.minute.reset * 1_000) },
          day: quota && { ...quota.day, reset: iso(quota.day.reset * 1_000) },
          bans: ban?.bans,
          bannedUntil: iso(ban?.bannedUntil),
        };
        out(toJson(details));
      };
    },
  },

  rotate: {
    options: ['overlap', 'json'],
    read(args, contract) {
      const id = readId(args, contract);
      const overlap = readDuration('overlap', args) ?? 86_400_000;
      return async ({ keys, out, note }) => {
        const { key, secret, olderEndAt } = await keys.rotate(id, overlap);
        if (args.values.json === true) {
          return out(toJson({ ...keyAsJson(contract, key), key: secret, olderEndAt: iso(olderEndAt) }));
        }
        note(`${id} has a new key. The old key ends at ${showTime(olderEndAt)}. `);
        note('Store the new key now; it is not shown again.\n');
        out(`${secret}\n`);
      };
    },
  },

  set: {
    options: [...changes, 'json'],
    read(args, contract) {
      const id = readId(args, contract);
      const change = readChange(args, contract);
      if (Object.values(change).every((value) => value === undefined)) {
        const shown = hasPlans(contract) ? changes : ['scope', 'name'];
        throw new UsageError(`set needs at least one of ${shown.map((name) => `--${name}`).join(', ')}.`);
      }
      return async ({ keys, out }) => {
        const key = await keys.set(id, change);
        if (args.values.json === true) return out(toJson(keyAsJson(contract, key)));
        out(`${id} now has ${showQuota(contract, key)}.\n`);
      };
    },
  },

  unban: {
    options: ['json'],
    read(args, contract) {
      const id = readId(args, contract);
      return async ({ keys, storage, now, out }) => {
        const key = await keys.find(id);
        const usage = { ...emptyUsage(now), ...(await storage.usage.find(id)) };
        const isBanned = usage.bannedUntil > now && !isForgiven(key, usage, contract.banRules);
        if (isBanned) await keys.unban(id, usage);
        if (args.values.json === true) return out(toJson({ id, wasBanned: isBanned }));
        out(isBanned ? `${id} is no longer banned.\n` : `${id} was not banned.\n`);
      };
    },
  },

  revoke: {
    options: [],
    read(args, contract) {
      const id = readId(args, contract);
      return async ({ keys, out }) => out(`${id} was revoked at ${showTime(await keys.revoke(id))}.\n`);
    },
  },
};

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A time as JSON; absent ones are left out. */
function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** A time for people: ISO 8601, UTC, to the second. */
function showTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** The scope of a key, with its plan and limits if it has any: `plan Free, scope read, 60/min 1000/day`. */
function showQuota(contract: Contract, key: KeyRecord): string {
  const scope = `scope ${key.scope}`;
  if (!hasPlans(contract)) return scope;
  const name = planNameOf(key, contract.plans);
  return `plan ${contract.plans[name]?.title ?? name}, ${scope}, ${showLimits(contract, key)}`;
}

function showLimits({ plans }: Contract, key: KeyRecord): string {
  const { perMinute, perDay } = quotaOf(key, plans);
  return `${perMinute}/min ${perDay}/day`;
}

function keyAsJson(contract: Contract, key: KeyRecord) {
  const { id, scope, name } = key;
  const { plans } = contract;
  const plan = hasPlans(contract) ? { plan: planNameOf(key, plans) } : {};
  const { perMinute, perDay } = hasPlans(contract) ? quotaOf(key, plans) : {};
  return { id, ...plan, scope, name, perMinute, perDay, ...timesOf(key), revokedAt: iso(key.revokedAt) };
}

function timesOf({ createdAt, expiresAt }: Pick<KeyRecord, 'createdAt' | 'expiresAt'>) {
  return { createdAt: iso(createdAt), expiresAt: iso(expiresAt) };
}

function keyWithState(contract: Contract, key: KeyWithSecrets, now: number) {
  const secrets = key.secrets.map((secret) => ({ hint: secret.hint, ...timesOf(secret) }));
  return { ...keyAsJson(contract, key), state: keyState(key, now), secrets };
}

/** The keys as a table. Names come last, because their width on a screen is unknown. */
function keyTable(contract: Contract, keys: readonly KeyWithSecrets[], now: number): string {
  const showSecret = ({ hint, expiresAt }: SecretRecord) =>
    expiresAt === undefined ? hint : `${hint} (until ${showTime(expiresAt)})`;
  const planOf = (key: KeyRecord) =>
    hasPlans(contract) ? [planNameOf(key, contract.plans), showLimits(contract, key)] : [];
  const rows = keys.map((key) => [
    key.id,
    ...planOf(key),
    key.scope,
    key.expiresAt === undefined ? 'never' : showTime(key.expiresAt),
    keyState(key, now),
    key.secrets
      .filter((secret) => !hasEnded(secret, now))
      .map(showSecret)
      .join(', '),
    printable(key.name ?? ''),
  ]);
  const plan = hasPlans(contract) ? ['PLAN', 'LIMITS'] : [];
  const table = [['ID', ...plan, 'SCOPE', 'EXPIRES', 'STATE', 'SECRETS', 'NAME'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
