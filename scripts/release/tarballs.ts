import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../root.ts';

/** Builds and packs packages of a copy of the project with the code of the copy; returns the tarballs. */
export function packCopy(folder: string, names: readonly string[]): string[] {
  const packed = `(await import('./scripts/release/packages.ts')).packPackages(${JSON.stringify(names)})`;
  const script = `console.log('\\n' + JSON.stringify(${packed}))`;
  const parameters = ['--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/**
 * Installs tarballs with npm into a project, as a user would but offline, so dependencies have to be among them
 * (`packDependencies`). A project without a package.json gets one.
 */
export async function installTarballs(tarballs: readonly string[], project: string): Promise<void> {
  const manifest = join(project, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ name: 'user', private: true, type: 'module' }));
  await npm(project, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs);
}

/** Packs the installed dependencies of the client into a folder; returns the tarballs. */
export async function packDependencies(folder: string): Promise<string[]> {
  const tarballs = join(folder, 'dependencies');
  mkdirSync(tarballs, { recursive: true });
  for (const dependency of clientDependencies()) {
    // pnpm hard-links files with the same content, and npm omits links when it unpacks.
    const copy = join(folder, 'copies', basename(dependency));
    cpSync(dependency, copy, { recursive: true });
    await npm(folder, 'pack', copy, '--ignore-scripts', '--pack-destination', tarballs);
  }
  return readdirSync(tarballs).map((file) => join(tarballs, file));
}

/** openapi-fetch, and its dependency, which is beside it in pnpm's store. */
function clientDependencies(): string[] {
  const openapiFetch = realpathSync(join(root, 'packages/client/node_modules/openapi-fetch'));
  return [openapiFetch, realpathSync(join(dirname(openapiFetch), 'openapi-typescript-helpers'))];
}

/** Rejects with npm's output when it fails. */
async function npm(cwd: string, ...parameters: string[]): Promise<void> {
  await promisify(execFile)('npm', parameters, { cwd, shell: process.platform === 'win32' });
}
