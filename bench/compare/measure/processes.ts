import { spawnSync } from 'node:child_process';
import { root } from '../../../scripts/root.ts';
import { generate } from '../../growing/commands.ts';
import type { Cores } from '../../server/cores.ts';
import type { Options } from '../options.ts';
import type { Results } from '../results.ts';

/** Seconds of the commands that a developer waits for. The tests, which take all cores, only where they are wanted. */
export function measureProcesses(
  { starts, withTests }: Pick<Options, 'starts' | 'withTests'>,
  cores: Cores | undefined,
  progress: (what: string) => void,
): Results['processes'] {
  if (starts > 0) progress('npm run generate');
  const generating = Array.from({ length: starts }, () => generate(root, cores));
  if (!withTests) return { generate: generating, test: [] };
  progress('npm test');
  return { generate: generating, test: [secondsOfTests()] };
}

/** @throws Error with the end of what it said, when it fails */
function secondsOfTests(): number {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync('npm', ['test'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`npm test failed:\n${`${stdout}${stderr}`.slice(-2_000)}`);
  return (performance.now() - startedAt) / 1_000;
}
