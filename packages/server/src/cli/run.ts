import { plans } from '@animal-store/contract';
import type { Clock } from '../common/time.ts';
import { createKeyRing, hasEnded, type KeyRing, keyState } from '../keys/key-ring.ts';
import { KeyError, type KeyProblem } from '../keys/new-key.ts';
import { openStorage } from '../operations/storage/index.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl } from '../storage/open.ts';
import {
  type KeyRecord,
  type KeyWithSecrets,
  type SecretRecord,
  StorageSetupError,
  StorageUnavailableError,
} from '../storage/storage.ts';
import { type Command, parseCommand, printable, UsageError } from './arguments.ts';
import { helpText } from './help.ts';

/** `out` prints results (stdout), `note` prints messages for people (stderr). */
export type Output = { out: (text: string) => void; note: (text: string) => void };

export type CliContext = { databaseUrl: string | undefined; clock: Clock; output: Output };

/** Runs a command. Returns the exit status: 0 done, 1 the database cannot be used, 2 wrong arguments. */
export async function runCli(args: string[], { databaseUrl, clock, output }: CliContext): Promise<0 | 1 | 2> {
  try {
    const command = parseCommand(args);
    if (command.name === 'help') output.out(helpText(command.topic));
    else await withKeys(databaseUrl, clock, (keys) => execute(command, keys, clock(), output));
    return 0;
  } catch (error) {
    output.note(`${reason(error).replaceAll(/\s+/g, ' ')}\n`);
    return error instanceof UsageError || error instanceof KeyError ? 2 : 1;
  }
}

async function withKeys(url: string | undefined, clock: Clock, use: (keys: KeyRing) => Promise<void>): Promise<void> {
  const databaseUrl = url?.trim() || defaultDatabaseUrl;
  if (databaseUrl === memoryDatabaseUrl) {
    throw new StorageSetupError(`Keys in ${memoryDatabaseUrl} would be gone at once. Set DATABASE_URL to a file.`);
  }
  const storage = await openStorage(databaseUrl);
  try {
    await use(createKeyRing(storage.keys, clock));
  } finally {
    await storage.close();
  }
}

async function execute(
  command: Exclude<Command, { name: 'help' }>,
  keys: KeyRing,
  now: number,
  output: Output,
): Promise<void> {
  if (command.name === 'create') return create(command, keys, output);
  if (command.name === 'list') return list(command, keys, now, output);
  if (command.name === 'rotate') return rotate(command, keys, output);
  const revokedAt = await keys.revoke(command.id);
  output.out(`${command.id} is revoked since ${showTime(revokedAt)}.\n`);
}

async function create({ newKey, json }: Command & { name: 'create' }, keys: KeyRing, { out, note }: Output) {
  const { key, secret } = await keys.create(newKey);
  if (json) return out(toJson({ ...keyAsJson(key), key: secret }));
  const end = key.expiresAt === undefined ? '' : ` It ends at ${showTime(key.expiresAt)}.`;
  note(
    `Made ${key.id}, plan ${plans[key.plan].title}, ${showLimits(key)}.${end} Keep the key: it is shown only now.\n`,
  );
  out(`${secret}\n`);
}

async function list({ json }: Command & { name: 'list' }, keys: KeyRing, now: number, { out, note }: Output) {
  const found = await keys.list();
  if (json) return out(toJson(found.map((key) => keyWithSecretsAsJson(key, now))));
  if (found.length === 0) return note('There are no keys yet. Make one: npm run --silent keys -- create --plan free\n');
  out(keyTableText(found, now));
}

async function rotate({ id, overlap, json }: Command & { name: 'rotate' }, keys: KeyRing, { out, note }: Output) {
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
    ...(key.name === undefined ? {} : { name: key.name }),
    ...limitsOf(key),
    ...timesOf(key),
    ...(key.revokedAt === undefined ? {} : { revokedAt: new Date(key.revokedAt).toISOString() }),
  };
}

/** A key as JSON, with its state and the hints of its secrets. */
function keyWithSecretsAsJson(key: KeyWithSecrets, now: number) {
  const secrets = key.secrets.map((secret) => ({ hint: secret.hint, ...timesOf(secret) }));
  return { ...keyAsJson(key), state: keyState(key, now), secrets };
}

/** The keys as a table. Names come last, because their width on a screen is unknown. */
function keyTableText(keys: readonly KeyWithSecrets[], now: number): string {
  const header = ['ID', 'PLAN', 'LIMITS', 'CREATED', 'EXPIRES', 'STATE', 'SECRETS', 'NAME'];
  const rows = [header, ...keys.map((key) => keyRow(key, now))];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function keyRow(key: KeyWithSecrets, now: number): string[] {
  const secrets = key.secrets.filter((secret) => !hasEnded(secret, now)).map(showSecret);
  return [
    key.id,
    key.plan,
    showLimits(key),
    showTime(key.createdAt),
    key.expiresAt === undefined ? 'never' : showTime(key.expiresAt),
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
