import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { contractVersion } from '@animal-store/contract';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { versionAfter } from '../diff/releases.ts';
import { type Result, releaseSandbox, type Sandbox } from './testing.ts';

const first = contractVersion;
const second = versionAfter(first, 'minor');
let sandbox: Sandbox;
let firstRun: Result;

beforeAll(() => {
  sandbox = releaseSandbox(first);
  firstRun = sandbox.release('--unchecked');
}, 120_000);
afterAll(() => sandbox.remove());

test('the first release keeps the contract, begins the changelogs, packs, commits and tags', () => {
  expect(firstRun).toMatchObject({ status: 0, stdout: expect.stringContaining(`Released ${first} on this machine.`) });
  expect(sandbox.read(`releases/openapi-${first}.yaml`)).toBe(sandbox.read('openapi.yaml'));
  expect(sandbox.read('CHANGELOG.md')).toMatch(
    /^## .* \(\d{4}-\d\d-\d\d\)\n\nThe first release\.\n\n- \*\*listPets\*\*/m,
  );
  expect(sandbox.read('packages/client/CHANGELOG.md')).toContain(`## ${first}\n\nThe first release.`);
  expect(readdirSync(join(sandbox.folder, 'dist/packages')).sort()).toEqual([
    `animal-store-client-${first}.tgz`,
    `animal-store-contract-${first}.tgz`,
  ]);
  expect(sandbox.git('status', '--short')).toBe('');
  expect(sandbox.git('describe')).toBe(`v${first}`);
});

test('it pushes and publishes nothing, and says how', () => {
  expect(firstRun.stdout).toContain(`  git push --atomic origin main v${first}
  npm publish --access public dist/packages/animal-store-contract-${first}.tgz
  npm publish --access public dist/packages/animal-store-client-${first}.tgz`);
});

test('run again, there is nothing to release', () => {
  const { status, stdout } = sandbox.release();
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `${first} is released (tag v${first}), and nothing changed since.\n`,
  });
});

test('stopped before its tag, it is ended by the next run', () => {
  sandbox.git('tag', '--delete', `v${first}`);
  expect(sandbox.release().stdout).toBe(`${first} was released without its tag; v${first} is added.\n`);
  expect(sandbox.git('describe')).toBe(`v${first}`);
});

test('a breaking change is not released', () => {
  sandbox.replace('openapi.yaml', '        maximum: 100\n', '        maximum: 50\n');
  const { status, stderr } = sandbox.release('--unchecked');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^This cannot be released:\nopenapi\.yaml:\d+: parameter Limit .*<= 50/);
});

test('with its exception it is planned, but not from a dirty tree', () => {
  sandbox.append(
    'releases/exceptions.yaml',
    `- at: '#/components/parameters/Limit/schema/maximum'
  change: Upper bound changed from '<= 100' to '<= 50'.
  reason: Nobody asked for more.
  release: ${second}
`,
  );
  sandbox.replace('openapi.yaml', `  version: ${first}\n`, `  version: ${second}\n`);
  sandbox.append('.changeset/quick-fox.md', `---\n'@animal-store/client': patch\n---\n\nThe client is quick.\n`);
  expect(sandbox.release('--dry-run')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`To be released: ${second}, after ${first}.`),
  });
  const { status, stderr } = sandbox.release('--unchecked');
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining(' M openapi.yaml') });
  expect(existsSync(join(sandbox.folder, `releases/openapi-${second}.yaml`))).toBe(false);
});

test('released, it shows in the changelog, and everything has the new number', () => {
  sandbox.commit('Lower the limit');
  expect(sandbox.release('--unchecked')).toMatchObject({ status: 0 });
  // Whoever else has the parameter is named, too.
  const changelog = sandbox.read('CHANGELOG.md').replace(/Limit \(listPets[^)]*\)/, 'Limit (listPets)');
  expect(changelog).toContain(`

### Breaking, by exception

- **parameter Limit (listPets)**: Upper bound changed from '<= 100' to '<= 50'. *Nobody asked for more.*

## ${first} (`);
  expect(sandbox.read('packages/client/CHANGELOG.md')).toContain('The client is quick.');
  for (const file of [
    'package.json',
    ...['contract', 'client', 'server'].map((name) => `packages/${name}/package.json`),
  ]) {
    expect(JSON.parse(sandbox.read(file))).toMatchObject({ version: second });
  }
  expect(existsSync(join(sandbox.folder, '.changeset/quick-fox.md'))).toBe(false);
  expect(sandbox.git('status', '--short')).toBe('');
  expect(sandbox.git('describe')).toBe(`v${second}`);
}, 60_000);
