import { spawn } from 'node:child_process';
import { root } from './root.ts';

export type Step = { name: string; command: string; parameters: string[]; environment?: Record<string, string> };

/** The parameters with which Node.js runs Jest on ES modules. */
export const jest: readonly string[] = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];

/** A step that is a program of the project. */
export function program(name: string, file: string, ...parameters: string[]): Step {
  return { name, command: process.execPath, parameters: [file, ...parameters] };
}

/** Runs before the checks, because it writes code that they read. */
export const fixtures: Step = program('fixtures of the tests', 'scripts/fixtures.mjs');

/** The checks that every change must pass before its tests run, those that take longest first. */
export const checks: readonly Step[] = [
  { name: 'spelling', command: 'cspell', parameters: ['--no-progress', '--no-summary'] },
  { name: 'types', command: 'tsc', parameters: ['--noEmit'] },
  program('promises', 'packages/tooling/src/checks/promises.ts'),
  { name: 'code lint and format', command: 'biome', parameters: ['check', '--error-on-warnings', '.'] },
  program('contract lint', 'packages/tooling/src/main.ts', 'lint'),
  program('generated files', 'packages/tooling/src/commands/generate.ts', '--check'),
  program('storage on both engines', 'packages/server/test/check-storage.ts'),
  program('structure', 'scripts/structure.ts'),
  program('contract since its release', 'packages/tooling/src/commands/diff.ts'),
];

/** Runs steps one after another, or several at once, whose output then appears step by step. Resolves to the names of those that failed. */
export async function runSteps(steps: readonly Step[], { atOnce = 1 } = {}): Promise<string[]> {
  const failed: string[] = [];
  const waiting = [...steps];
  const runNext = async (): Promise<void> => {
    const step = waiting.shift();
    if (step === undefined) return;
    if (!(await run(step, atOnce > 1))) failed.push(step.name);
    await runNext();
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  return failed;
}

async function run({ name, command, parameters, environment }: Step, isQuiet: boolean): Promise<boolean> {
  if (!isQuiet) console.log(`\n=== ${name}`);
  const startedAt = performance.now();
  const child = spawn(command, parameters, {
    cwd: root,
    stdio: ['inherit', isQuiet ? 'pipe' : 'inherit', isQuiet ? 'pipe' : 'inherit'],
    env: { ...process.env, ...environment },
  });
  let output = isQuiet ? `\n=== ${name}\n` : '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const passed = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      output += `${error.message}\n`;
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${output}--- ${name}: ${passed ? 'ok' : 'FAILED'}, ${seconds} s`);
  return passed;
}
