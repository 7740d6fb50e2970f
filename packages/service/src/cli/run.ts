import type { Contract, Mode } from '../common/contract.ts';
import { type Clock, dayOf } from '../common/time.ts';
import { ConfigError } from '../config/config.ts';
import { createKeyRing, type KeyRing } from '../keys/key-ring.ts';
import { checkName, KeyError, type KeyProblem, type NewKey } from '../keys/new-key.ts';
import { emptyUsage, isForgiven, quotaAt } from '../rate-limit/count-request.ts';
import { quotaOf } from '../rate-limit/limiter.ts';
import type { MigrateOption } from '../storage/migrations/migrations.ts';
import { memoryDatabaseUrl, nameOf } from '../storage/open.ts';
import { operatorMessage, type Storage, StorageSetupError } from '../storage/storage.ts';
import { type Command, type Many, parseCommand, readNames, UsageError } from './arguments.ts';
import {
  activeKeyAsJson,
  auditAsJson,
  auditText,
  dailyCallsAsJson,
  dailyCallsText,
  keyAsJson,
  keyDetailsAsJson,
  keyDetailsText,
  keyTableText,
  showLimits,
  showTime,
  titleOf,
  toJson,
} from './format.ts';
import { helpText } from './help.ts';

/** `out` prints results (stdout), `note` prints messages for people (stderr). */
export type Output = { out: (text: string) => void; note: (text: string) => void };

export type CliContext = {
  contract: Contract;
  /** The name of the service for machines. */
  service: string;
  /** Opens the database with the store of the service. */
  open: (databaseUrl: string, option: MigrateOption) => Promise<Storage>;
  /** The database, and whether to run its pending migrations. */
  readDatabase: () => { databaseUrl: string; migrate: MigrateOption };
  /** The Redis in which the servers count requests, if they do not count in the database. */
  redisUrl: string | undefined;
  /** The mode of the keys if no server has used the database yet; otherwise it has the servers' mode. */
  readMode: () => Mode;
  /** The user and host for the audit log; `--by` overrides them. */
  user: () => string;
  clock: Clock;
  output: Output;
};

/** The objects that the commands use. */
type KeyTools = {
  contract: Contract;
  keys: KeyRing;
  storage: Storage;
  countsInRedis: boolean;
  now: number;
  output: Output;
};

/** Runs a command. Returns the exit status: 0 success, 1 database unavailable, 2 invalid arguments. */
export async function runCli(args: string[], context: CliContext): Promise<0 | 1 | 2> {
  const { output } = context;
  try {
    const command = parseCommand(args, context.contract);
    if (command.name === 'help') output.out(helpText(context, command.topic));
    else await withKeys(context, 'by' in command ? command.by : undefined, (tools) => execute(command, tools));
    return 0;
  } catch (error) {
    output.note(`${reason(error).replaceAll(/\s+/g, ' ')}\n`);
    return error instanceof UsageError || error instanceof KeyError || error instanceof ConfigError ? 2 : 1;
  }
}

async function withKeys(
  { clock, output, ...context }: CliContext,
  byOption: string | undefined,
  use: (tools: KeyTools) => Promise<void>,
): Promise<void> {
  const { databaseUrl, migrate } = context.readDatabase();
  if (byOption !== undefined) checkName(byOption);
  const countsInRedis = (context.redisUrl?.trim() ?? '') !== '';
  if (databaseUrl === memoryDatabaseUrl) {
    throw new StorageSetupError(`${memoryDatabaseUrl} would lose the keys immediately. Set DATABASE_URL to a file.`);
  }
  const storage = await context.open(databaseUrl, migrate === 'never' ? 'never' : 'existing');
  try {
    output.note(`Database: ${nameOf(databaseUrl)}\n`);
    const by = byOption ?? context.user();
    const mode = (await storage.keys.mode()) ?? context.readMode();
    await use({
      contract: context.contract,
      keys: createKeyRing(storage.keys, context.contract, clock, mode, { by }),
      storage,
      countsInRedis,
      now: clock(),
      output,
    });
  } finally {
    await storage.close();
  }
}

async function execute(command: Exclude<Command, { name: 'help' }>, tools: KeyTools): Promise<void> {
  if (command.name === 'create') return create(command, tools);
  if (command.name === 'list') return list(command, tools);
  if (command.name === 'show') return show(command, tools);
  if (command.name === 'rotate') return rotate(command, tools);
  if (command.name === 'set') return set(command, tools);
  if (command.name === 'unban') return unban(command, tools);
  if (command.name === 'usage') return usage(command, tools);
  if (command.name === 'audit') return audit(command, tools);
  const revokedAt = await tools.keys.revoke(command.id);
  tools.output.out(`${command.id} was revoked at ${showTime(revokedAt)}.\n`);
}

async function create(command: Command & { name: 'create' }, { contract, keys, output: { out, note } }: KeyTools) {
  const { newKey, isTest, json } = command;
  if (isTest && keys.mode === 'live') {
    throw new UsageError('The servers of this database accept only live keys. Omit --test, or use a test server.');
  }
  if (command.many !== undefined)
    return createMany(newKey, command.many, json, { contract, keys, output: { out, note } });
  const { key, secret } = await keys.create(newKey);
  if (json) return out(toJson({ ...keyAsJson(contract, key), key: secret }));
  const end = key.expiresAt === undefined ? '' : ` It expires at ${showTime(key.expiresAt)}.`;
  const created = `Created ${key.id}: ${keys.mode} key, plan ${titleOf(contract, key)}, scope ${key.scope}, ${showLimits(contract, key)}.${end}`;
  note(`${created} Store the key now; it is not shown again.\n`);
  out(`${secret}\n`);
}

/** Prints a line for each key, all at once: a program that ends early must not lose some of them. */
async function createMany(
  newKey: NewKey,
  many: Many,
  json: boolean,
  { contract, keys, output }: Pick<KeyTools, 'contract' | 'keys' | 'output'>,
) {
  const names = 'count' in many ? Array(many.count).fill(newKey.name) : readNames(many.namesFile);
  const issued = await keys.createAll(names.map((name: string | undefined) => ({ ...newKey, name })));
  const lines = issued.map(({ key, secret }) =>
    json
      ? JSON.stringify({ ...keyAsJson(contract, key), key: secret })
      : [key.id, secret, key.name ?? ''].join('\t').trimEnd(),
  );
  if (!json) output.note(`Created ${lines.length} ${keys.mode} keys. Store them now; they are not shown again.\n`);
  output.out(`${lines.join('\n')}\n`);
}

async function list({ json }: Command & { name: 'list' }, { contract, keys, storage, now, output }: KeyTools) {
  const { out, note } = output;
  const activityOf = Map.groupBy(await storage.keys.activity(), ({ keyId }) => keyId);
  const found = (await keys.list()).map((key) => ({ ...key, activity: activityOf.get(key.id) ?? [] }));
  if (json) return out(toJson(found.map((key) => activeKeyAsJson(contract, key, now))));
  if (found.length === 0)
    return note('There are no keys yet. To create one, run: npm run --silent keys -- create --plan free\n');
  out(keyTableText(contract, found, now));
}

async function show(
  { id, json }: Command & { name: 'show' },
  { contract, keys, storage, countsInRedis, now, output }: KeyTools,
) {
  const key = { ...(await keys.find(id)), activity: await storage.keys.activity(id) };
  const usage = { ...emptyUsage(now), ...(await storage.usage.find(id)) };
  const quota = quotaAt(usage, quotaOf(key, contract.plans), now);
  const windows = countsInRedis ? undefined : quota;
  const isRemembered = now - usage.bannedUntil < contract.banRules.forgetAfterSeconds * 1_000;
  const ban = isRemembered && !isForgiven(key, usage, contract.banRules) ? usage : undefined;
  output.out(
    json
      ? toJson(keyDetailsAsJson(contract, key, now, windows, ban))
      : keyDetailsText(contract, key, now, windows, ban),
  );
}

async function rotate(
  { id, overlap, json }: Command & { name: 'rotate' },
  { contract, keys, output: { out, note } }: KeyTools,
) {
  const { key, secret, olderEndAt } = await keys.rotate(id, overlap);
  if (json) {
    const end = olderEndAt === undefined ? null : new Date(olderEndAt).toISOString();
    return out(toJson({ ...keyAsJson(contract, key), key: secret, olderEndAt: end }));
  }
  const older =
    olderEndAt === undefined
      ? `The servers accept only ${keys.mode} keys, so the old key does not work.`
      : `The old key works until ${showTime(olderEndAt)}.`;
  note(`${id} has a new key. ${older} Store the new key now; it is not shown again.\n`);
  out(`${secret}\n`);
}

async function set({ id, change, json }: Command & { name: 'set' }, { contract, keys, output: { out } }: KeyTools) {
  const key = await keys.set(id, change);
  if (json) return out(toJson(keyAsJson(contract, key)));
  out(`${id} now has plan ${titleOf(contract, key)}, scope ${key.scope}, ${showLimits(contract, key)}.\n`);
}

async function unban(
  { id, json }: Command & { name: 'unban' },
  { contract, keys, storage, now, output: { out } }: KeyTools,
) {
  const key = await keys.find(id);
  const usage = { ...emptyUsage(now), ...(await storage.usage.find(id)) };
  const isBanned = usage.bannedUntil > now && !isForgiven(key, usage, contract.banRules);
  if (isBanned) await keys.unban(id, usage);
  if (json) return out(toJson({ id, wasBanned: isBanned }));
  out(isBanned ? `${id} is no longer banned.\n` : `${id} was not banned.\n`);
}

async function usage(
  { id, days, json }: Command & { name: 'usage' },
  { keys, storage, now, output: { out, note } }: KeyTools,
) {
  await keys.find(id);
  const calls = await storage.keys.dailyCalls(id, dayOf(now) - days + 1);
  if (json) return out(toJson({ id, days: calls.map(dailyCallsAsJson) }));
  if (calls.length === 0) return note(`${id} sent no requests in the last ${days} days.\n`);
  out(dailyCallsText(calls));
}

async function audit({ id, json }: Command & { name: 'audit' }, { storage, output: { out, note } }: KeyTools) {
  const records = await storage.keys.audit(id);
  if (json) return out(toJson(records.map(auditAsJson)));
  if (records.length === 0) return note('There are no recorded changes.\n');
  out(auditText(records));
}

/** How to fix each problem. */
const advice: Readonly<Record<KeyProblem, string>> = {
  name_invalid: 'Change --name.',
  plan_unknown: 'Change --plan.',
  limits_missing: 'Add --per-minute N --per-day N.',
  limits_forbidden: 'Omit --per-minute and --per-day.',
  limits_invalid: 'Change --per-minute or --per-day.',
  duration_invalid: 'Change the duration.',
  key_unknown: 'To list the keys, run: npm run --silent keys -- list',
  key_ended: 'Run: npm run --silent keys -- create',
};

function reason(error: unknown): string {
  if (error instanceof KeyError) return `${error.message} ${advice[error.problem]}`;
  return operatorMessage(error);
}
