import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../project.ts';
import { toolFile, writeWhole } from './files.ts';

/** The package.json of Redocly's CLI. */
const redoclyManifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json');

export const redoclyCli = join(dirname(redoclyManifest), 'bin/cli.js');

/** Redocly sends no telemetry and does not look for a newer version. */
export const redoclyEnvironment = {
  ...process.env,
  // Production mode renders the same pages in two thirds of the time.
  NODE_ENV: 'production',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

/** The rules for the contract of the project: those of its own, or what the service needs. */
export function redoclyConfig(): string {
  const own = join(root, '.redocly.yaml');
  return existsSync(own) ? own : servedConfig(join(root, 'dist'));
}

/** Writes the rules for what the service needs of a contract into a folder. */
export function servedConfig(folder: string): string {
  const file = join(folder, '.redocly.yaml');
  const rules = join(import.meta.dirname, '../lint/served.yaml');
  writeWhole(file, JSON.stringify({ plugins: [toolFile('lint/plugin')], extends: [rules] }));
  return file;
}

/** Runs the Redocly CLI in the project's folder. */
export function runRedocly(...parameters: string[]) {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [redoclyCli, ...parameters], {
    cwd: root,
    encoding: 'utf8',
    env: redoclyEnvironment,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return { exitCode: status ?? 1, stdout, stderr };
}
