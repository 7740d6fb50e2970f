import { systemClock } from '../common/time.ts';
import { createKeyRing } from '../keys/key-ring.ts';
import { usesKeys } from '../openapi/security.ts';
import type { ServiceParts } from '../openapi/service-parts.ts';
import { nameOf, openStorageWith } from '../storage/open.ts';
import type { StoreTypes } from '../storage/storage.ts';
import { quote, readArguments } from './arguments.ts';
import { readStoredDatabase, runCommand, UsageError } from './command.ts';
import { helpText, RUN } from './help.ts';
import { commands, type KeyTools } from './key-commands.ts';

const out = (text: string) => void process.stdout.write(text);
const note = (text: string) => void process.stderr.write(text);

type Parts<Store extends StoreTypes> = Pick<ServiceParts<Store>, 'contract' | 'store' | 'verify'>;

/** The command for API keys: `npm run --silent keys -- --help`. */
export function runKeys<Store extends StoreTypes>(parts: Parts<Store>, args: string[]): Promise<void> {
  const { contract, store } = parts;
  return runCommand(args[0] === 'help' ? ['--help'] : args, helpText(contract, store.name), async () => {
    await run(parts, args);
    return '';
  });
}

async function run<Store extends StoreTypes>(parts: Parts<Store>, [name, ...rest]: string[]): Promise<void> {
  const { contract, verify } = parts;
  if (!usesKeys(contract, verify)) {
    throw new UsageError(`No operation of ${contract.contractTitle} needs an API key, so there are no keys to manage.`);
  }
  const names = Object.keys(commands).filter((each) => each !== 'unban' || contract.banRules !== null);
  const command = name !== undefined && names.includes(name) ? commands[name] : undefined;
  if (name === undefined || command === undefined) {
    const problem = name === undefined ? 'A command is missing.' : `Unknown command ${quote(name)}.`;
    throw new UsageError(`${problem} Use ${names.join(', ')}. See: ${RUN} --help`);
  }
  const args = readArguments(name, rest, command.options);
  await withKeys(parts, command.read(args, contract));
}

async function withKeys<Store extends StoreTypes>(
  { contract, store }: Parts<Store>,
  work: (tools: KeyTools) => Promise<void>,
): Promise<void> {
  const { databaseUrl, migrate, databaseLimits, mode: ofNewDatabase } = readStoredDatabase(store.name);
  const option = migrate === 'never' ? 'never' : 'existing';
  const storage = await openStorageWith(store, databaseUrl, option, databaseLimits);
  try {
    note(`Database: ${nameOf(databaseUrl)}\n`);
    // If no server has used the database yet, it has no mode.
    const mode = (await storage.keys.mode()) ?? ofNewDatabase;
    const keys = createKeyRing(storage.keys, contract, systemClock, mode);
    const countsInRedis = (process.env['REDIS_URL']?.trim() ?? '') !== '';
    await work({ contract, keys, storage, countsInRedis, now: systemClock(), out, note });
  } finally {
    await storage.close();
  }
}
