import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyRing } from './auth/keys.ts';
import type { Clock } from './clock.ts';

/**
 * A free-plan key for trying the API on one's own machine: made at the first start and kept in a file beside the
 * database, so that later starts print the same.
 *
 * @param file where it is kept; undefined for a database that is gone with the process
 */
export async function developmentKey(keys: KeyRing, file: string | undefined, clock: Clock): Promise<string> {
  const kept = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
  const secret = kept?.trim();
  if (secret !== undefined && (await keys.verify(secret, clock())) !== undefined) return secret;
  const made = await keys.create({ plan: 'free', name: 'development', mode: 'test' });
  if (file !== undefined) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${made.secret}\n`, { mode: 0o600 });
  }
  return made.secret;
}

/** The file beside an embedded database; undefined when the database is in memory only. */
export function developmentKeyFile(databaseUrl: string): string | undefined {
  if (databaseUrl === 'sqlite::memory:') return undefined;
  const path = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  return path === undefined ? 'data/development-key' : `${path.replace(/\.(db|sqlite3?)$/, '')}.development-key`;
}
