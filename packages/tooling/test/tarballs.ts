import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Installs tarballs with npm into a project, as a user would but offline: a package that has dependencies cannot be installed.
 * A project without a package.json gets one.
 */
export async function installTarballs(tarballs: readonly string[], project: string): Promise<void> {
  const manifest = join(project, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ name: 'user', private: true, type: 'module' }));
  await npm(project, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs);
}

/** Rejects with npm's output if it fails. */
async function npm(cwd: string, ...parameters: string[]): Promise<void> {
  await promisify(execFile)('npm', parameters, { cwd, shell: process.platform === 'win32' });
}
