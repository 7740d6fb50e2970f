import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { copyWorkspace } from '../testing/workspace-copy.ts';

const { folder, remove } = copyWorkspace();
afterAll(() => remove());

test('an operation that forgets an await fails the check, with file and line', () => {
  const file = join(folder, 'packages/server/src/operations/createPet.ts');
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, source.replace('  const pet = await', '  storage.addPet(body);\n  const pet = await'));
  const { status, stderr } = spawnSync(process.execPath, ['packages/tooling/src/checks/floating-promises.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^packages\/server\/src\/operations\/createPet\.ts:\d+:3: this promise is not awaited\..*\n$/);
  expect(status).toBe(1);
});
