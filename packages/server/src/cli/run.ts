import { banRules, type Mode, operations, plans } from '@animal-store/contract';
import type { Clock } from '../common/time.ts';
import { ConfigError } from '../config/config.ts';
import { createKeyRing, hasEnded, type KeyRing, keyState } from '../keys/key-ring.ts';
import { KeyError, type KeyProblem } from '../keys/new-key.ts';
import { openStorage } from '../operations/storage/index.ts';
import { type QuotaState, quotaAt, type WindowState } from '../quota/count-request.ts';
import { emptyUsage, quotaOf } from '../quota/usage.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl } from '../storage/open.ts';
import {
  type ActivityRecord,
  type KeyRecord,
  type KeyWithSecrets,
  type SecretRecord,
  type Storage,
  StorageSetupError,
  StorageUnavailableError,
} from '../storage/storage.ts';
import { type Command, parseCommand, printable, UsageError } from './arguments.ts';
import { helpText } from './help.ts';

/** `out` prints results (stdout), `note` prints messages for people (stderr). */
export type Output = { out: (text: string) => void; note: (text: string) => void };

export type CliContext = {
  databaseUrl: string | undefined;
  /** The Redis in which the servers count requests, if they do not count in the database. */
  redisUrl: string | undefined;
  /** The mode of the keys, unless servers have used the database: then it is theirs. */
  readMode: () => Mode;
  clock: Clock;
  output: Output;
};

/** What the commands work on. */
type KeyTools = { keys: KeyRing; storage: Storage; countsInRedis: boolean; now: number; output: Output };

/** Runs a command. Returns the exit status: 0 done, 1 the database cannot be used, 2 wrong arguments. */
export async function runCli(args: string[], context: CliContext): Promise<0 | 1 | 2> {
  const { output } = context;
  try {
    const command = parseCommand(args);
    if (command.name === 'help') output.out(helpText(command.topic));
    else await withKeys(context, (tools) => execute(command, tools));
    return 0;
  } catch (error) {
    output.note(`${reason(error).replaceAll(/\s+/g, ' ')}\n`);
    return error instanceof UsageError || error instanceof KeyError || error instanceof ConfigError ? 2 : 1;
  }
}

async function withKeys(
  { clock, output, ...context }: CliContext,
  use: (tools: KeyTools) => Promise<void>,
): Promise<void> {
  const databaseUrl = context.databaseUrl?.trim() || defaultDatabaseUrl;
  const countsInRedis = (context.redisUrl?.trim() ?? '') !== '';
  if (databaseUrl === memoryDatabaseUrl) {
    throw new StorageSetupError(`Keys in ${memoryDatabaseUrl} would be gone at once. Set DATABASE_URL to a file.`);
  }
  const storage = await openStorage(databaseUrl);
  try {
    const mode = (await storage.keys.mode()) ?? context.readMode();
    await use({ keys: createKeyRing(storage.keys, clock, mode), storage, countsInRedis, now: clock(), output });
  } finally {
    await storage.close();
  }
}

async function execute(command: Exclude<Command, { name: 'help' }>, tools: KeyTools): Promise<void> {
  if (command.name === 'create') return create(command, tools);
  if (command.name === 'list') return list(command, tools);
  if (command.name === 'show') return show(command, tools);
  if (command.name === 'rotate') return rotate(command, tools);
  const revokedAt = await tools.keys.revoke(command.id);
  tools.output.out(`${command.id} was revoked at ${showTime(revokedAt)}.\n`);
}

async function create(command: Command & { name: 'create' }, { keys, output: { out, note } }: KeyTools) {
  const { newKey, isTest, json } = command;
  if (isTest && keys.mode === 'live') {
    throw new UsageError('The servers of this database accept live keys only: leave out --test, or use a test server.');
  }
  const { key, secret } = await keys.create(newKey);
  if (json) return out(toJson({ ...keyAsJson(key), key: secret }));
  const end = key.expiresAt === undefined ? '' : ` It ends at ${showTime(key.expiresAt)}.`;
  const made = `Made ${key.id}, a ${keys.mode} key, plan ${plans[key.plan].title}, scope ${key.scope}, ${showLimits(key)}.${end}`;
  note(`${made} Keep the key: it is shown only now.\n`);
  out(`${secret}\n`);
}

async function list({ json }: Command & { name: 'list' }, { keys, storage, now, output }: KeyTools) {
  const { out, note } = output;
  const activityOf = Map.groupBy(await storage.keys.activity(), ({ keyId }) => keyId);
  const found = (await keys.list()).map((key) => ({ ...key, activity: activityOf.get(key.id) ?? [] }));
  if (json) return out(toJson(found.map((key) => activeKeyAsJson(key, now))));
  if (found.length === 0) return note('There are no keys yet. Make one: npm run --silent keys -- create --plan free\n');
  out(keyTableText(found, now));
}

async function show({ id, json }: Command & { name: 'show' }, { keys, storage, countsInRedis, now, output }: KeyTools) {
  const key = { ...(await keys.find(id)), activity: await storage.keys.activity(id) };
  const usage = { ...emptyUsage(now), ...(await storage.usage.find(id)) };
  const quota = quotaAt(usage, quotaOf(key), now);
  const windows = countsInRedis ? undefined : quota;
  const ban = now - usage.bannedUntil < banRules.forgetAfterSeconds * 1_000 ? usage : undefined;
  output.out(json ? toJson(keyDetailsAsJson(key, now, windows, ban)) : keyDetailsText(key, now, windows, ban));
}

async function rotate({ id, overlap, json }: Command & { name: 'rotate' }, { keys, output: { out, note } }: KeyTools) {
  const { key, secret, olderEndAt } = await keys.rotate(id, overlap);
  if (json) return out(toJson({ ...keyAsJson(key), key: secret, olderEndAt: new Date(olderEndAt).toISOString() }));
  note(`${id} has a new key; the older one ends at ${showTime(olderEndAt)}. Keep the new one: it is shown only now.\n`);
  out(`${secret}\n`);
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** How to fix each problem. */
const advice: Readonly<Record<KeyProblem, string>> = {
  name_invalid: 'Change --name.',
  limits_missing: 'Add --per-minute N --per-day N.',
  limits_forbidden: 'Leave out --per-minute and --per-day.',
  limits_invalid: 'Change --per-minute or --per-day.',
  duration_invalid: 'Change the duration.',
  key_unknown: 'See: npm run --silent keys -- list',
  key_ended: 'Use: npm run --silent keys -- create',
};

function reason(error: unknown): string {
  if (error instanceof KeyError) return `${error.message} ${advice[error.problem]}`;
  if (error instanceof StorageUnavailableError && error.cause instanceof Error) {
    return `The database cannot be used at the moment: ${error.cause.message}. Nothing was changed.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** A time in ISO 8601, UTC, to the second. */
function showTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function showLimits(key: KeyRecord): string {
  const { perMinute, perDay } = limitsOf(key);
  return `${perMinute}/min ${perDay}/day`;
}

/** A key as JSON: times in ISO 8601, absent values left out. */
function keyAsJson(key: KeyRecord) {
  return {
    id: key.id,
    plan: key.plan,
    scope: key.scope,
    ...(key.name === undefined ? {} : { name: key.name }),
    ...limitsOf(key),
    ...timesOf(key),
    ...(key.revokedAt === undefined ? {} : { revokedAt: new Date(key.revokedAt).toISOString() }),
  };
}

type ActiveKey = KeyWithSecrets & { activity: readonly ActivityRecord[] };

/** A key as JSON, with its state, the hints of its secrets, its last use and its calls of deprecated operations. */
function activeKeyAsJson(key: ActiveKey, now: number) {
  const secrets = key.secrets.map((secret) => ({ hint: secret.hint, ...timesOf(secret) }));
  const lastUsedAt = lastUseOf(key);
  const deprecatedCalls = deprecatedCallsOf(key).map(({ operation, calls, lastCalledAt }) => ({
    operation,
    calls,
    lastCalledAt: new Date(lastCalledAt).toISOString(),
  }));
  return {
    ...keyAsJson(key),
    state: keyState(key, now),
    secrets,
    ...(lastUsedAt === undefined ? {} : { lastUsedAt: new Date(lastUsedAt).toISOString() }),
    deprecatedCalls,
  };
}

type Ban = { bans: number; bannedUntil: number };

/** A key as JSON, with everything that is known about it. */
function keyDetailsAsJson(key: ActiveKey, now: number, quota: QuotaState | undefined, ban: Ban | undefined) {
  const windowAsJson = ({ limit, remaining, reset }: WindowState) => {
    return { limit, remaining, resetsAt: new Date(reset * 1_000).toISOString() };
  };
  return {
    ...activeKeyAsJson(key, now),
    ...(quota === undefined ? {} : { minute: windowAsJson(quota.minute), day: windowAsJson(quota.day) }),
    ...(ban === undefined ? {} : { bans: ban.bans, bannedUntil: new Date(ban.bannedUntil).toISOString() }),
  };
}

function keyDetailsText(key: ActiveKey, now: number, quota: QuotaState | undefined, ban: Ban | undefined): string {
  const showWindow = (window: WindowState | undefined) =>
    window === undefined
      ? 'counted in Redis'
      : `${window.remaining} of ${window.limit} left, until ${showTime(window.reset * 1_000)}`;
  const showBan = ({ bans, bannedUntil }: Ban) =>
    `${bannedUntil > now ? 'until' : 'ended'} ${showTime(bannedUntil)}, ${bans} in a row`;
  const deprecated = deprecatedCallsOf(key).map(
    ({ operation, calls, lastCalledAt }) =>
      `${operation}: ${calls === 1 ? '1 call' : `${calls} calls`}, the latest at ${showTime(lastCalledAt)}`,
  );
  const lines: [label: string, ...values: string[]][] = [
    ['ID', key.id],
    ['Name', printable(key.name ?? 'none')],
    ['Plan', plans[key.plan].title],
    ['Scope', key.scope],
    ['State', keyState(key, now)],
    ['Created', showTime(key.createdAt)],
    ['Expires', key.expiresAt === undefined ? 'never' : showTime(key.expiresAt)],
    ['Revoked', key.revokedAt === undefined ? 'no' : showTime(key.revokedAt)],
    ['Secrets', ...key.secrets.map(showSecret)],
    ['Minute', showWindow(quota?.minute)],
    ['Day', showWindow(quota?.day)],
    ['Ban', ban === undefined ? 'none' : showBan(ban)],
    ['Last use', showLastUse(key)],
    ['Deprecated', ...(deprecated.length === 0 ? ['no calls'] : deprecated)],
  ];
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  return lines
    .flatMap(([label, ...values]) => values.map((value, row) => `${(row === 0 ? label : '').padEnd(width)}${value}\n`))
    .join('');
}

function lastUseOf({ activity }: ActiveKey): number | undefined {
  return activity.length === 0 ? undefined : Math.max(...activity.map(({ lastCalledAt }) => lastCalledAt));
}

function showLastUse(key: ActiveKey): string {
  const time = lastUseOf(key);
  return time === undefined ? 'never' : showTime(time);
}

/** The calls of operations that the contract marks as deprecated now, by operation. */
function deprecatedCallsOf({ activity }: ActiveKey): ActivityRecord[] {
  const deprecated = new Set(Object.entries(operations).flatMap(([id, { deprecation }]) => (deprecation ? [id] : [])));
  const calls = activity.filter(({ operation }) => deprecated.has(operation));
  return calls.sort((a, b) => (a.operation < b.operation ? -1 : 1));
}

/** The keys as a table. Names come last, because their width on a screen is unknown. */
function keyTableText(keys: readonly ActiveKey[], now: number): string {
  const header = [
    'ID',
    'PLAN',
    'SCOPE',
    'LIMITS',
    'EXPIRES',
    'LAST USE',
    'DEPRECATED CALLS',
    'STATE',
    'SECRETS',
    'NAME',
  ];
  const rows = [header, ...keys.map((key) => keyRow(key, now))];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function keyRow(key: ActiveKey, now: number): string[] {
  const deprecatedCalls = deprecatedCallsOf(key).reduce((sum, { calls }) => sum + calls, 0);
  const secrets = key.secrets.filter((secret) => !hasEnded(secret, now)).map(showSecret);
  return [
    key.id,
    key.plan,
    key.scope,
    showLimits(key),
    key.expiresAt === undefined ? 'never' : showTime(key.expiresAt),
    showLastUse(key),
    String(deprecatedCalls),
    keyState(key, now),
    secrets.join(', '),
    printable(key.name ?? ''),
  ];
}

function showSecret({ hint, expiresAt }: SecretRecord): string {
  return expiresAt === undefined ? hint : `${hint} (until ${showTime(expiresAt)})`;
}

function limitsOf(key: KeyRecord): { perMinute?: number | undefined; perDay?: number | undefined } {
  const plan = plans[key.plan];
  return 'custom' in plan
    ? { perMinute: key.perMinute, perDay: key.perDay }
    : { perMinute: plan.perMinute, perDay: plan.perDay };
}

function timesOf({ createdAt, expiresAt }: { createdAt: number; expiresAt?: number | undefined }) {
  const created = { createdAt: new Date(createdAt).toISOString() };
  return expiresAt === undefined ? created : { ...created, expiresAt: new Date(expiresAt).toISOString() };
}
