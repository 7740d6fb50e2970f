import { type Contract, hasPlans } from '../common/contract.ts';
import { dayOf } from '../common/time.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { KeyChange, NewKey } from '../keys/new-key.ts';
import { emptyUsage, isForgiven, quotaAt } from '../rate-limit/count-request.ts';
import { quotaOf } from '../rate-limit/limiter.ts';
import { keptDays, type Storage } from '../storage/storage.ts';
import { type Arguments, MAX_KEYS, readNames, UsageError } from './arguments.ts';
import {
  auditAsJson,
  auditText,
  dailyCallsAsJson,
  dailyCallsText,
  keyAsJson,
  keyDetailsAsJson,
  keyDetailsText,
  keyTableText,
  showQuota,
  showTime,
  toJson,
} from './format.ts';
import { type CommandName, createExample } from './help.ts';

/** The objects that the commands use. */
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

type Work = (tools: KeyTools) => Promise<void>;

/** For each command a function that reads its arguments, before a database is opened, and returns its work. */
export const workOf: Readonly<Record<CommandName, (args: Arguments) => Work>> = {
  create(args) {
    args.refusePositionals();
    const newKey = readNewKey(args);
    const names = readNamesOf(args);
    const json = args.has('json');
    return async ({ contract, keys, out, note }) => {
      if (args.has('test') && keys.mode === 'live') {
        throw new UsageError('The servers of this database accept only live keys. Omit --test, or use a test server.');
      }
      if (names !== undefined) {
        const issued = await keys.createAll(names.map((name) => ({ ...newKey, name })));
        const lines = issued.map(({ key, secret }) =>
          json
            ? JSON.stringify({ ...keyAsJson(contract, key), key: secret })
            : [key.id, secret, key.name ?? ''].join('\t').trimEnd(),
        );
        if (!json) note(`Created ${lines.length} ${keys.mode} keys. Store them now; they are not shown again.\n`);
        // All at once: a program that ends early must not lose some of them.
        return out(`${lines.join('\n')}\n`);
      }
      const { key, secret } = await keys.create(newKey);
      if (json) return out(toJson({ ...keyAsJson(contract, key), key: secret }));
      const end = key.expiresAt === undefined ? '' : ` It expires at ${showTime(key.expiresAt)}.`;
      const created = `Created ${key.id}: ${keys.mode} key, ${showQuota(contract, key)}.${end}`;
      note(`${created} Store the key now; it is not shown again.\n`);
      out(`${secret}\n`);
    };
  },

  list(args) {
    args.refusePositionals();
    return async ({ contract, keys, storage, now, out, note }) => {
      const activityOf = Map.groupBy(await storage.keys.activity(), ({ keyId }) => keyId);
      const found = (await keys.list()).map((key) => ({ ...key, activity: activityOf.get(key.id) ?? [] }));
      if (args.has('json')) return out(toJson(found.map((key) => keyDetailsAsJson({ contract, key, now }))));
      if (found.length === 0) return note(`There are no keys yet. To create one, run: ${createExample(contract)}\n`);
      out(keyTableText(contract, found, now));
    };
  },

  show(args) {
    const id = args.id();
    return async ({ contract, keys, storage, countsInRedis, now, out }) => {
      const key = { ...(await keys.find(id)), activity: await storage.keys.activity(id) };
      const usage = { ...emptyUsage(now), ...(await storage.usage.find(id)) };
      const quota =
        countsInRedis || !hasPlans(contract) ? undefined : quotaAt(usage, quotaOf(key, contract.plans), now);
      const isRemembered = now - usage.bannedUntil < (contract.banRules?.forgetAfterSeconds ?? 0) * 1_000;
      const ban = isRemembered && !isForgiven(key, usage, contract.banRules) ? usage : undefined;
      const details = { contract, key, now, quota, ban };
      out(args.has('json') ? toJson(keyDetailsAsJson(details)) : keyDetailsText(details));
    };
  },

  rotate(args) {
    const id = args.id();
    const overlap = args.duration('overlap') ?? 86_400_000;
    return async ({ contract, keys, out, note }) => {
      const { key, secret, olderEndAt } = await keys.rotate(id, overlap);
      if (args.has('json')) {
        const end = olderEndAt === undefined ? null : new Date(olderEndAt).toISOString();
        return out(toJson({ ...keyAsJson(contract, key), key: secret, olderEndAt: end }));
      }
      const older =
        olderEndAt === undefined
          ? `The servers accept only ${keys.mode} keys, so the old key does not work.`
          : `The old key works until ${showTime(olderEndAt)}.`;
      note(`${id} has a new key. ${older} Store the new key now; it is not shown again.\n`);
      out(`${secret}\n`);
    };
  },

  set(args) {
    const id = args.id();
    const change = readChange(args);
    if (Object.values(change).every((value) => value === undefined)) {
      const options = hasPlans(args.contract)
        ? '--plan, --scope, --name, --per-minute and --per-day'
        : '--scope and --name';
      throw new UsageError(`set needs at least one of ${options}.`);
    }
    return async ({ contract, keys, out }) => {
      const key = await keys.set(id, change);
      if (args.has('json')) return out(toJson(keyAsJson(contract, key)));
      out(`${id} now has ${showQuota(contract, key)}.\n`);
    };
  },

  unban(args) {
    const id = args.id();
    return async ({ contract, keys, storage, now, out }) => {
      const key = await keys.find(id);
      const usage = { ...emptyUsage(now), ...(await storage.usage.find(id)) };
      const isBanned = usage.bannedUntil > now && !isForgiven(key, usage, contract.banRules);
      if (isBanned) await keys.unban(id, usage);
      if (args.has('json')) return out(toJson({ id, wasBanned: isBanned }));
      out(isBanned ? `${id} is no longer banned.\n` : `${id} was not banned.\n`);
    };
  },

  usage(args) {
    const id = args.id();
    const days = args.number('days', keptDays) ?? 30;
    return async ({ keys, storage, now, out, note }) => {
      await keys.find(id);
      const calls = await storage.keys.dailyCalls(id, dayOf(now) - days + 1);
      if (args.has('json')) return out(toJson({ id, days: calls.map(dailyCallsAsJson) }));
      if (calls.length === 0) return note(`${id} sent no requests in the last ${days} days.\n`);
      out(dailyCallsText(calls));
    };
  },

  audit(args) {
    const id = args.idIfAny();
    return async ({ storage, out, note }) => {
      const records = await storage.keys.audit(id);
      if (args.has('json')) return out(toJson(records.map(auditAsJson)));
      if (records.length === 0) return note('There are no recorded changes.\n');
      out(auditText(records));
    };
  },

  revoke(args) {
    const id = args.id();
    return async ({ keys, out }) => out(`${id} was revoked at ${showTime(await keys.revoke(id))}.\n`);
  },
};

function readNewKey(args: Arguments): NewKey {
  const change = readChange(args);
  if (change.plan !== undefined || !hasPlans(args.contract))
    return { ...change, expiresIn: args.duration('expires-in') };
  throw new UsageError(`create needs --plan with one of ${Object.keys(args.contract.plans).join(', ')}.`);
}

/** The options that `create` and `set` share. */
function readChange(args: Arguments): KeyChange {
  const plan = args.plan();
  return {
    ...(plan === undefined ? {} : { plan }),
    scope: args.scope(),
    name: args.text('name'),
    perMinute: args.number('per-minute'),
    perDay: args.number('per-day'),
  };
}

/** The names of several keys: the same one for a number of them, or those in a file. Undefined for a single key. */
function readNamesOf(args: Arguments): (string | undefined)[] | undefined {
  const file = args.text('names');
  if (file === undefined) {
    const count = args.number('count', MAX_KEYS);
    return count === undefined ? undefined : Array(count).fill(args.text('name'));
  }
  if (args.has('count')) throw new UsageError('Omit --count: --names creates one key for each name.');
  if (args.has('name')) throw new UsageError('Omit --name: --names has the names of the keys.');
  return readNames(file);
}
