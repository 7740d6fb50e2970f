import { spawnSync } from 'node:child_process';
import { root } from './root.ts';

export type Step = { name: string; command: string; parameters: string[]; environment?: Record<string, string> };

/** A check that is a program of the project. */
function program(name: string, file: string, ...parameters: string[]): Step {
  return { name, command: process.execPath, parameters: [file, ...parameters] };
}

const tools = 'packages/tooling/src';

/** The checks that every change must pass before its tests run. */
export const checks: Step[] = [
  { name: 'types', command: 'tsc', parameters: ['--noEmit'] },
  { name: 'code lint and format', command: 'biome', parameters: ['check', '--error-on-warnings', '.'] },
  program('contract lint', `${tools}/main.ts`, 'lint'),
  program('generated files', `${tools}/commands/generate.ts`, '--check'),
  program('figures of the recorded run', 'bench/compare/figures.ts', '--check'),
  program('promises that no code awaits', `${tools}/checks/floating-promises.ts`),
  program('inputs that no operation reads', `${tools}/checks/unread-inputs.ts`),
  program('migrations that block callers', `${tools}/checks/blocking-migrations.ts`),
  program('structure', 'scripts/structure.ts'),
  program('prose', `${tools}/prose/check.ts`),
  program('contract since its release', `${tools}/commands/diff.ts`),
];

/** Runs all steps one after another in a folder. Returns the names of those that failed. */
export function runSteps(steps: Step[], folder = root): string[] {
  const failed: string[] = [];
  for (const { name, command, parameters, environment } of steps) {
    console.log(`\n=== ${name}`);
    const startedAt = performance.now();
    const { status, error } = spawnSync(command, parameters, {
      cwd: folder,
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
