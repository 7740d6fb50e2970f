import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type RunningChild, runNode } from '../../../testing/src/child.ts';
import { root } from '../project.ts';

type Configuration = { name: string; runtimeArgs?: string[]; program: string; args?: string[] };
const { configurations }: { configurations: Configuration[] } = JSON.parse(
  readFileSync(join(root, '.vscode/launch.json'), 'utf8'),
);

/** Starts a launch configuration as VS Code does, with an inspector on a free port. */
function launch(name: string, file: string, environment: Record<string, string>): RunningChild {
  const { runtimeArgs = [], program = '', args = [] } = configurations.find((one) => one.name === name) ?? {};
  const parameters = ['--inspect=0', ...runtimeArgs, program, ...args].map((text) =>
    text.replace(/\$\{workspaceFolder\}/, root).replace(/\$\{file\}/, () => file),
  );
  return runNode(root, parameters, environment);
}

function inspectors(child: RunningChild): number {
  return child.output().split('Debugger listening').length - 1;
}

test('the server is debugged with one inspector', async () => {
  const server = launch('Server', '', { PORT: '0', DATABASE_URL: 'sqlite::memory:' });
  await server.printed(/API key/);
  expect(inspectors(server)).toBe(1);
  server.kill('SIGTERM');
  await server.ended;
});

test('the open test file is debugged alone, with one inspector', async () => {
  const run = launch('Test file', join(root, 'packages/server/src/operations/paging.test.ts'), {});
  expect(await run.ended).toBe(0);
  expect(run.output()).toMatch(/Test Suites: 1 passed, 1 total/);
  expect(inspectors(run)).toBe(1);
});
