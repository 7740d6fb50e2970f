import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Contract, firstPlan } from '../common/facts.ts';
import type { Clock } from '../common/time.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { memoryDatabaseUrl, nameOf } from '../storage/open.ts';

/**
 * Returns a key for trying the API on a development machine. The first call creates it and stores it in a file, so that
 * later starts return the same key. A key that is no longer valid is replaced.
 */
export function createDevelopmentKey(
  keys: KeyRing,
  { plans, anonymousLimits }: Pick<Contract, 'plans' | 'anonymousLimits'>,
  file: string | undefined,
  clock: Clock,
): () => Promise<string> {
  const plan = firstPlan(plans);
  const isCustom = plan !== undefined && plans[plan] !== undefined && 'custom' in plans[plan];
  const ownLimits = isCustom ? (anonymousLimits ?? { perMinute: 60, perDay: 1_000 }) : {};
  let current: string | undefined;
  return async () => {
    const secret = current ?? (file === undefined ? undefined : await readStoredKey(file));
    if (secret !== undefined && (await keys.verify(secret, clock())) !== undefined) {
      current = secret;
      return secret;
    }
    const created = await keys.create({ plan, name: 'development', ...ownLimits });
    if (file !== undefined) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${created.secret}\n`, { mode: 0o600 });
    }
    current = created.secret;
    return created.secret;
  };
}

/** Undefined if the file does not exist. Rejects if it cannot be read. */
async function readStoredKey(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The file for the development key: next to an embedded database, or in `data/` with a name derived from the URL of any
 * other database. Undefined for a database in memory.
 */
export function developmentKeyFile(databaseUrl: string): string | undefined {
  if (databaseUrl === memoryDatabaseUrl) return undefined;
  if (!databaseUrl.startsWith('sqlite:')) {
    const hostsAndPath = nameOf(databaseUrl).replace(/^\w+:\/\//, '');
    return `data/${hostsAndPath.replaceAll(/[^A-Za-z0-9.]+/g, '-')}.development-key`;
  }
  return `${databaseUrl.replace(/^sqlite:/, '').replace(/\.(db|sqlite3?)$/, '')}.development-key`;
}
