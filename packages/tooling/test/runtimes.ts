import { globSync } from 'node:fs';
import { join } from 'node:path';
import { leaveOut } from '../../testing/src/left-out.ts';
import { root } from '../src/project.ts';

const folder = 'dist/runtimes';

/** The paths of the programs in their npm packages, each of which installs only the one for this platform. */
const places = { bun: '@oven/*/bin/bun*', deno: '@deno/*/deno*', workerd: '@cloudflare/workerd-*/bin/workerd*' };

export type RuntimeName = keyof typeof places;

/** The program of a runtime other than Node.js that was installed for the tests; undefined if there is none. */
export function findRuntime(name: RuntimeName): string | undefined {
  const modules = join(root, folder, 'node_modules');
  const [program] = globSync(places[name], { cwd: modules }).filter((file) =>
    /[\\/](bun|deno|workerd)(\.exe)?$/.test(file),
  );
  return program === undefined ? undefined : join(modules, program);
}

/** Reports the tests that are left out without a runtime, with the command that installs it. */
export function leaveOutRuntime(what: string, name: RuntimeName): void {
  leaveOut(`${what} on ${name}`, `npm install --ignore-scripts --prefix ${folder} bun@1 deno@2 workerd@1`);
}
