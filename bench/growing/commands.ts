import { spawnSync } from 'node:child_process';
import { type Cores, keptOn } from '../server/cores.ts';

/** `npm run generate` in a copy of the project; says its seconds. */
export function generate(folder: string, cores?: Cores): number {
  return run(folder, cores, ['scripts/generate.ts']);
}

/** `npm run typecheck` in a copy of the project, without its tests. */
export function typecheck(folder: string, cores?: Cores): number {
  return run(folder, cores, ['node_modules/typescript/bin/tsc', '--noEmit']);
}

/**
 * Runs a whole Node process and says how many seconds it took.
 * @throws Error with what it said, when it fails
 */
function run(folder: string, cores: Cores | undefined, parameters: string[]): number {
  const [command, rest] = keptOn(cores && `${cores.server},${cores.load}`, process.execPath, parameters);
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(command, rest, { cwd: folder, encoding: 'utf8' });
  const seconds = (performance.now() - startedAt) / 1_000;
  if (status !== 0) throw new Error(`${parameters.join(' ')} failed:\n${`${stdout}${stderr}`.slice(0, 2_000)}`);
  return seconds;
}
