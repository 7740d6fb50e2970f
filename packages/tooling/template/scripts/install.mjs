/** Installs what is missing or old: with `--omit=dev` what a start needs, and otherwise also the tools for development. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const installedAt = changedAt('node_modules/.package-lock.json');
const isOld = changedAt('package.json') > installedAt || changedAt('package-lock.json') > installedAt;
const hasTools = existsSync('node_modules/jest');
const omitted = process.argv.slice(2).filter(() => !hasTools);
if (isOld || (omitted.length === 0 && !hasTools)) {
  const options = { stdio: 'inherit', shell: process.platform === 'win32' };
  process.exitCode =
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...omitted], options).status ?? 1;
}
