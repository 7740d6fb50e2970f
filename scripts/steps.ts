import { spawnSync } from 'node:child_process';
import { root } from './root.ts';

export type Step = { name: string; command: string; parameters: string[]; environment?: Record<string, string> };

const node = process.execPath;

/** The checks that every change must pass before its tests run. */
export const checks: Step[] = [
  { name: 'types', command: 'tsc', parameters: ['--noEmit'] },
  { name: 'code lint and format', command: 'biome', parameters: ['check', '--error-on-warnings', '.'] },
  {
    name: 'contract lint',
    command: 'redocly',
    parameters: ['lint', '--config', '.redocly.yaml', '--lint-config', 'error'],
  },
  { name: 'generated files', command: node, parameters: ['packages/tooling/src/commands/generate.ts', '--check'] },
  { name: 'figures of the recorded run', command: node, parameters: ['bench/compare/figures.ts', '--check'] },
  {
    name: 'promises that no code awaits',
    command: node,
    parameters: ['packages/tooling/src/checks/floating-promises.ts'],
  },
  {
    name: 'inputs that no operation reads',
    command: node,
    parameters: ['packages/tooling/src/checks/unread-inputs.ts'],
  },
  {
    name: 'migrations that block callers',
    command: node,
    parameters: ['packages/tooling/src/checks/blocking-migrations.ts'],
  },
  { name: 'structure of the server', command: node, parameters: ['scripts/structure.ts'] },
  { name: 'prose', command: node, parameters: ['packages/tooling/src/prose/check.ts'] },
  { name: 'contract since its release', command: node, parameters: ['packages/tooling/src/commands/diff.ts'] },
];

/** Runs all steps one after another. Resolves to the names of those that failed. */
export function runSteps(steps: Step[]): string[] {
  const failed: string[] = [];
  for (const { name, command, parameters, environment } of steps) {
    console.log(`\n=== ${name}`);
    const startedAt = performance.now();
    const { status, error } = spawnSync(command, parameters, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    });
    if (error !== undefined) console.error(error.message);
    if (status !== 0) failed.push(name);
    console.log(
      `--- ${name}: ${status === 0 ? 'ok' : 'FAILED'}, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
    );
  }
  return failed;
}
