import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startTestServer } from './harness.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const example = join(root, 'examples/first-call/index.ts');

test('the first call of the README works against the real server', async () => {
  await using server = await startTestServer();
  const env = { ...process.env, ANIMAL_STORE_KEY: server.key, ANIMAL_STORE_URL: `${server.url}/v1` };
  const { stdout } = await run(process.execPath, [example], { cwd: root, env });
  expect(stdout).toBe('1 Rex\n');
});

test('the README shows the code of the example', () => {
  const [, shown = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  expect(shown.trim().length).toBeGreaterThan(100);
  for (const line of shown.trim().split('\n')) expect(readFileSync(example, 'utf8')).toContain(line);
});
