import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { leaveOut } from '../../testing/src/left-out.ts';
import { root } from '../src/project.ts';

/** What only CI installs, and the command for it. */
export const ciTools = { folder: '.ci/tools/node_modules', install: 'npm ci --ignore-scripts --prefix .ci/tools' };

/** The paths of the programs in their npm packages, each of which installs only the one for this platform. */
const places = { bun: '@oven/*/bin/bun*', deno: '@deno/*/deno*', workerd: '@cloudflare/workerd-*/bin/workerd*' };

export type RuntimeName = keyof typeof places;

/** The program of a runtime other than Node.js that was installed for the tests; undefined if there is none. */
export function findRuntime(name: RuntimeName): string | undefined {
  const modules = join(root, ciTools.folder);
  const [program] = globSync(places[name], { cwd: modules }).filter((file) =>
    /[\\/](bun|deno|workerd)(\.exe)?$/.test(file),
  );
  return program === undefined ? undefined : join(modules, program);
}

/** Reports the tests that are left out without a runtime, with the command that installs it. */
export function leaveOutRuntime(what: string, name: RuntimeName): void {
  leaveOut(`${what} on ${name}`, ciTools.install);
}

const name = process.platform === 'win32' ? 'node.exe' : 'node';

/**
 * The path of Node.js with that major version: the current process's, one on the PATH, or one that was installed for the
 * tests. Undefined if there is none.
 */
export function findNode(major: number): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  const installed = join(root, ciTools.folder, `node${major}/bin`, name);
  return [process.execPath, ...places, installed].find((place) => versionOf(place).startsWith(`v${major}.`));
}

/** Reports the tests that are left out because this version of Node.js is missing, with the command that installs it. */
export function leaveOutNode(what: string, major: number): void {
  leaveOut(`${what} on Node ${major}`, ciTools.install);
}

function versionOf(place: string): string {
  return spawnSync(place, ['--version'], { encoding: 'utf8' }).stdout ?? '';
}
