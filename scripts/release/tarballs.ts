import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../root.ts';

/** Builds and packs packages of a copy of the project, by its own code; gives the tarballs. */
export function packCopy(folder: string, names: readonly string[]): string[] {
  const packed = `(await import('./scripts/release/packages.ts')).packPackages(${JSON.stringify(names)})`;
  const script = `console.log('\\n' + JSON.stringify(${packed}))`;
  const parameters = ['--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/**
 * Installs tarballs with npm into a project, as a user would; no registry is asked, so `packDependencies` has to be
 * among them. A project without a package.json gets one.
 */
export async function installTarballs(tarballs: readonly string[], project: string): Promise<void> {
  const manifest = join(project, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ name: 'user', private: true, type: 'module' }));
  await npm(project, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs);
}

/** Packs what the client depends on, as it is installed here, into a folder; gives the tarballs. */
export async function packDependencies(folder: string): Promise<string[]> {
  const tarballs = join(folder, 'dependencies');
  mkdirSync(tarballs, { recursive: true });
  for (const dependency of clientDependencies()) {
    // pnpm links files that are alike to one another, and npm leaves links out when it unpacks.
    const copy = join(folder, 'copies', basename(dependency));
    cpSync(dependency, copy, { recursive: true });
    await npm(folder, 'pack', copy, '--ignore-scripts', '--pack-destination', tarballs);
  }
  return readdirSync(tarballs).map((file) => join(tarballs, file));
}

/** openapi-fetch, and beside it in pnpm's store what it depends on. */
function clientDependencies(): string[] {
  const openapiFetch = realpathSync(join(root, 'packages/client/node_modules/openapi-fetch'));
  return [openapiFetch, realpathSync(join(dirname(openapiFetch), 'openapi-typescript-helpers'))];
}

/** Rejects with what npm said when it fails. */
async function npm(cwd: string, ...parameters: string[]): Promise<void> {
  await promisify(execFile)('npm', parameters, { cwd, shell: process.platform === 'win32' });
}
