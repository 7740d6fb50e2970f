import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { secondWorkspace } from '../../../server/test/second-contract/workspace.ts';
import { runNode } from '../../../testing/src/child.ts';

const { folder, remove } = secondWorkspace();
afterAll(remove);

const program = 'packages/client/test/second-contract/program.ts';

/** The output of a script that runs in the copy. */
function run(parameters: string[], environment: Record<string, string> = {}): string {
  const { PATH = '' } = process.env;
  const env = { PATH, ...environment };
  const { stdout, stderr } = spawnSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8', env });
  return stdout + stderr;
}

test('a program that uses the client and the mocks with the second contract compiles', () => {
  const configuration = { extends: './tsconfig.json', include: [program], exclude: ['**/node_modules'] };
  writeFileSync(join(folder, 'tsconfig.client.json'), JSON.stringify(configuration));
  expect(run(['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.client.json'])).toBe('');
});

/** The output of the program when it uses a server. */
async function runWithServer(): Promise<string> {
  const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'client.db')}`, NODE_ENV: 'production' };
  run(['packages/server/test/second-contract/main.ts', 'migrate'], environment);
  const printed = run(
    ['packages/server/test/second-contract/main.ts', 'keys', 'create', '--plan', 'business', '--json'],
    environment,
  );
  const created = JSON.parse(printed.replace(/^Database: .*$/m, ''));
  const server = runNode(folder, ['packages/server/test/second-contract/main.ts'], environment);
  try {
    const [, url = ''] = /API +(http:\S+\/v1)/.exec(await server.printed(/API +http:\S+\/v1/)) ?? [];
    return run([program], { API_URL: url, API_KEY: created.key });
  } finally {
    server.kill('SIGTERM');
    await server.ended;
  }
}

test('the client gets the same results from a server of that contract and from the mocks', async () => {
  const { real, mocked, refusal } = JSON.parse(await runWithServer());
  expect(real).toEqual({
    statuses: [201, 200, 304, 200, 200, 204, 204, 204],
    data: [null, null, null],
    listed: 1,
    photo: ['image/png', true],
    archive: true,
    csv: true,
    line: 'Heron',
    event: 'Heron',
    about: 'Field Notes',
    named: {
      photo: ['image/png', true],
      archive: true,
      texts: ['string', true],
      about: 'Field Notes',
      titled: [expect.any(Number), 'string'],
      key: 'get',
      removed: true,
    },
  });
  expect(mocked).toEqual(real);
  expect(refusal).toBe('note_not_found');
});
