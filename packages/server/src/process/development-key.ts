import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../common/time.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { memoryDatabaseUrl } from '../storage/open.ts';

/**
 * A free-plan key for trying the API on one's own machine: made at the first start and kept in a file beside the
 * database, so that later starts print the same.
 *
 * @param file where it is kept; undefined for a database that is gone with the process
 */
export async function developmentKey(keys: KeyRing, file: string | undefined, clock: Clock): Promise<string> {
  const kept = file === undefined ? undefined : await readKept(file);
  const secret = kept?.trim();
  if (secret !== undefined && (await keys.verify(secret, clock())) !== undefined) return secret;
  const made = await keys.create({ plan: 'free', name: 'development', mode: 'test' });
  if (file !== undefined) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${made.secret}\n`, { mode: 0o600 });
  }
  return made.secret;
}

/** Undefined when there is none; one that cannot be read is for the caller to see. */
async function readKept(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The file beside an embedded database, or for a database elsewhere one that has its name; undefined when the database
 * is in memory only.
 */
export function developmentKeyFile(databaseUrl: string): string | undefined {
  if (databaseUrl === memoryDatabaseUrl) return undefined;
  if (!databaseUrl.startsWith('sqlite:')) {
    const { host, pathname } = new URL(databaseUrl);
    return `data/${`${host}${pathname}`.replaceAll(/[^A-Za-z0-9.]+/g, '-')}.development-key`;
  }
  return `${databaseUrl.replace(/^sqlite:/, '').replace(/\.(db|sqlite3?)$/, '')}.development-key`;
}
