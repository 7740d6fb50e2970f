import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { project, root } from '../project.ts';
import { numberedPackages, publishedPackages, readChangesets, writeContractChangeset } from './packages.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'changesets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a changeset has the packages, and the size of the change for each', () => {
  writeFileSync(join(folder, 'README.md'), 'Not a changeset.');
  writeFileSync(join(folder, 'a.md'), `---\n'${project.clientPackage}': minor\n---\n\nIt waits.\n`);
  expect(readChangesets(folder)).toEqual([{ file: 'a.md', bumps: { [project.clientPackage]: 'minor' } }]);
});

test('a written changeset can be read', () => {
  writeContractChangeset(folder, '1.1.0', 'minor', 'The contract 1.1.0.');
  expect(readChangesets(folder)).toMatchObject([{ bumps: { [project.contractPackage]: 'minor' } }]);
});

test.each(['', 'It waits.', `---\n'${project.clientPackage}': huge\n---\n`])('%j is refused', (text) => {
  writeFileSync(join(folder, 'a.md'), text);
  expect(() => readChangesets(folder)).toThrow('.changeset/a.md does not name a package and its bump.');
});

test('the changesets of the project can be read', () => {
  expect(() => readChangesets(join(root, '.changeset'))).not.toThrow();
  expect(readChangesets(join(folder, 'none'))).toEqual([]);
});

test.each(['service', 'redis', 'sandbox', 'client-core', 'tooling', 'testing', 'create'])(
  'npm pack in packages/%s names the command that packs it, because it would pack the sources',
  (name) => {
    const options = {
      cwd: join(root, 'packages', name),
      encoding: 'utf8',
      shell: process.platform === 'win32',
    } as const;
    const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], options);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(`npm run pack -- ${name}`) });
  },
);

test('every package has the version of the release, and none can be published from its folder', () => {
  const folders = readdirSync(join(root, 'packages')).sort();
  const { fixed } = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8'));
  const named = (folder: string) =>
    JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')).name;
  expect([...fixed[0]].sort()).toEqual(folders.map(named).sort());
  expect([...numberedPackages].sort()).toEqual(folders);
  expect(folders).toEqual(expect.arrayContaining([...publishedPackages]));
  // `npm run pack` stages the published files with a separate package.json.
  for (const name of folders) {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ private: true });
  }
});
