import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { root } from '../root.ts';

/**
 * Installs tarballs with npm into an empty project, as a user would, and the dependencies of the client from what is
 * installed here: no registry is asked.
 */
export function installTarballs(tarballs: readonly string[], project: string): void {
  const dependencies = join(project, 'dependencies');
  mkdirSync(dependencies, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  for (const folder of clientDependencies()) {
    // pnpm links files that are alike to one another, and npm leaves links out when it unpacks.
    const copy = join(project, 'copies', basename(folder));
    cpSync(folder, copy, { recursive: true });
    npm(project, 'pack', copy, '--ignore-scripts', '--pack-destination', dependencies);
  }
  const files = [...tarballs, ...readdirSync(dependencies).map((file) => join(dependencies, file))];
  npm(project, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...files);
}

/** openapi-fetch, and beside it in pnpm's store what it depends on. */
function clientDependencies(): string[] {
  const openapiFetch = realpathSync(join(root, 'packages/client/node_modules/openapi-fetch'));
  return [openapiFetch, realpathSync(join(dirname(openapiFetch), 'openapi-typescript-helpers'))];
}

function npm(cwd: string, ...parameters: string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', parameters, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${parameters[0]} failed:\n${stdout}${stderr}`);
}
