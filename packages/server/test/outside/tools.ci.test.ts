import { expect, test } from '@jest/globals';
import { root } from '../../../tooling/src/project.ts';
import { runCommand } from './tools.ts';

/** A program that prints JSON and a warning, and then ends with an exit code. */
function program(code: number): string[] {
  return ['--eval', `console.error('A warning'); console.log('[]'); process.exitCode = ${code}`];
}

test('a command resolves to its standard output, without its warnings', async () => {
  expect(await runCommand(process.execPath, program(0), { folder: root })).toBe('[]\n');
});

test('a command that may report findings resolves with exit code 1, and no other', async () => {
  const options = { folder: root, mayReport: true };
  expect(await runCommand(process.execPath, program(1), options)).toBe('[]\n');
  await expect(runCommand(process.execPath, program(2), options)).rejects.toThrow('ended with 2');
});

test('a command that fails rejects with all that it printed', async () => {
  const failure = runCommand(process.execPath, program(1), { folder: root });
  await expect(failure).rejects.toThrow(/ended with 1:\n(A warning\n\[\]|\[\]\nA warning)\n$/);
});
