import { globSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { leaveOut } from './left-out.ts';

const folder = 'dist/runtimes';

/** Where the npm packages have the programs; each installs only the one of this platform. */
const places = { bun: '@oven/*/bin/bun*', deno: '@deno/*/deno*', workerd: '@cloudflare/workerd-*/bin/workerd*' };

export type RuntimeName = keyof typeof places;

/** The program of a run time other than Node that was installed for the tests; undefined without one. */
export function findRuntime(name: RuntimeName): string | undefined {
  const modules = join(root, folder, 'node_modules');
  const [program] = globSync(places[name], { cwd: modules }).filter((file) =>
    /[\\/](bun|deno|workerd)(\.exe)?$/.test(file),
  );
  return program === undefined ? undefined : join(modules, program);
}

/** Adds to the report of the tests what is not tested without a run time, and the command that installs it. */
export function leaveOutRuntime(what: string, name: RuntimeName): void {
  leaveOut(`${what} on ${name}`, `npm install --ignore-scripts --prefix ${folder} bun@1 deno@2 workerd@1`);
}
