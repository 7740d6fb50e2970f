import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startTestServer } from '../../../packages/server/test/harness.ts';
import { defaults } from '../options.ts';
import { petsIn, root, workplace } from './fixture.ts';

const run = promisify(execFile);
const readme = readFileSync(join(root, 'examples/node-import/README.md'), 'utf8');
const [, commands = ''] = /```sh\n(.+?)```/s.exec(readme) ?? [];
const [, shown = ''] = /```console\n\[#+\] [^\n]+\n(.+?)```/s.exec(readme) ?? [];

test('the commands of the README work as shown', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  using place = workplace();
  expect(commands).toContain('$(cat data/animal-store.development-key)');
  // The server of this test replaces that of npm start. The journal must not stay in the project.
  const elsewhere = ` --base-url ${server.url}/v1 --journal ${place.folder}/journal`;
  const script = commands.trim().replace('$(cat data/animal-store.development-key)', server.key) + elsewhere;
  const { stdout, stderr } = await run('sh', ['-ec', script], { cwd: root });
  expect(stderr).toContain('5 of 5, done in');
  const withoutTime = (text: string) => text.replace(/time.+/, '').trim();
  expect(withoutTime(stdout)).toBe(withoutTime(shown));
  expect((await petsIn(server.url, server.key)).map(({ name }) => name)).toContain('Sir Hops, the second');
});

test('the README states the defaults of the code', () => {
  expect(readme).toContain(`for ${defaults.patienceSeconds / 60} minutes (\`--patience\`)`);
  expect(defaults.baseUrl).toBe('http://127.0.0.1:3000/v1');
});
