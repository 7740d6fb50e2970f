import { plans } from '@animal-store/contract';
import type { Clock } from '../common/clock.ts';
import { createKeyRing, type KeyRing } from '../keys/key-ring.ts';
import { KeyError, type KeyProblem } from '../keys/new-key.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl, openStorage } from '../storage/open.ts';
import { StorageSetupError, StorageUnavailableError } from '../storage/storage.ts';
import { type Command, parseCommand } from './arguments.ts';
import { helpText } from './help.ts';
import { keyAsJson, keyTableText, keyWithSecretsAsJson, showLimits, showTime } from './show.ts';
import { UsageError } from './usage-error.ts';

/** Where the text goes: `out` for what the caller asked for, `note` for what people want to know besides. */
export type Output = { out: (text: string) => void; note: (text: string) => void };

export type Surroundings = { databaseUrl: string | undefined; clock: Clock; output: Output };

/** Does what the arguments say. Gives the exit status: 0 done, 1 no database, 2 wrong arguments. */
export async function runCli(args: string[], { databaseUrl, clock, output }: Surroundings): Promise<0 | 1 | 2> {
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

async function withKeys(given: string | undefined, clock: Clock, use: (keys: KeyRing) => Promise<void>): Promise<void> {
  const databaseUrl = given?.trim() || defaultDatabaseUrl;
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

/** What to do about each problem, in the words of the command line. */
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
