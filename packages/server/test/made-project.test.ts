import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { newApi } from '../../tooling/src/new/api.ts';
import { Repository } from './own-api/repository.ts';

// One project from the contract of another API. own-api/ and second-contract/ test what such projects do.

const parent = realpathSync(mkdtempSync(join(tmpdir(), 'made-project-')));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('a new project passes its own lint, type check and tests, and its lint finds mistakes in operations', () => {
  const project = new Repository(join(parent, 'tides'));
  newApi(project.folder, join(import.meta.dirname, 'own-api/tides.yaml'), 'tides');
  const entries = readdirSync(project.folder, { recursive: true, withFileTypes: true });
  // With the lockfile of the first install.
  expect(entries.filter((entry) => entry.isFile()).length + 1).toBeLessThanOrEqual(30);
  project.installVendored();
  expect(project.run('generate')).toMatchObject({ status: 0 });
  expect(project.run('lint', '--code')).toMatchObject({ status: 0 });
  expect(project.node('node_modules/typescript/bin/tsc').output).toBe('');
  const cache = `--cacheDirectory=${join(parent, 'cache')}`;
  const { output } = project.node('--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--verbose', cache);
  expect(output).not.toContain('✕');
  expect(output).toContain('✓ listTides');
  project.write('packages/server/src/operations/listTides.ts', 'export const listTides = () => Date.now();');
  const mistake = expect.stringContaining('Call clock() instead.');
  expect(project.run('lint', '--code')).toMatchObject({ status: 1, output: mistake });
});
