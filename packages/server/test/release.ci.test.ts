import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractVersion } from '@animal-store/contract';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { versionAfter, withoutDev } from '../../tooling/src/diff/releases.ts';
import { numberedPackages } from '../../tooling/src/release/packages.ts';
import { installedCheckout } from '../../tooling/test/checkout.ts';

const first = withoutDev(contractVersion);
const second = versionAfter(first, 'minor');
let sandbox: Sandbox;
let firstRun: Result;

beforeAll(() => {
  sandbox = releaseSandbox(first);
  firstRun = sandbox.release('--unchecked');
});
afterAll(() => sandbox.remove());

test('the first release copies the contract, starts the changelog, packs, commits and tags', () => {
  expect(firstRun).toMatchObject({ status: 0, stdout: expect.stringContaining(`Released ${first} locally.`) });
  expect(sandbox.read(`releases/openapi-${first}.yaml`)).toBe(
    sandbox.read('packages/contract/src/generated/openapi.yaml'),
  );
  expect(sandbox.read('CHANGELOG.md')).toMatch(
    /^## .* \(\d{4}-\d\d-\d\d\)\n\nThe first release\.\n\n- \*\*listPets\*\*/m,
  );
  expect(readdirSync(join(sandbox.folder, 'dist/packages')).sort()).toEqual(
    [
      ...['animal-store-client', 'animal-store-contract'],
      ...['client', 'create', 'redis', 'sandbox', 'service', 'testing', 'tooling'].map(
        (name) => `contract-first-${name}`,
      ),
    ].map((name) => `${name}-${first}.tgz`),
  );
  expect(sandbox.git('status', '--short')).toBe('');
  expect(sandbox.git('describe')).toBe(`v${first}`);
});

test('a breaking change is not released', () => {
  sandbox.replace('openapi.yaml', 'maximum: 100, default: 20', 'maximum: 50, default: 20');
  const { status, stderr } = sandbox.release('--unchecked');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The release has problems:\nopenapi\.yaml:\d+: parameter Limit .*<= 50/);
});

test('an addition is planned, but not released from a dirty tree', () => {
  sandbox.replace('openapi.yaml', 'maximum: 50, default: 20', 'maximum: 200, default: 20');
  sandbox.replace('openapi.yaml', `  version: ${first}\n`, `  version: ${second}-dev\n`);
  sandbox.append('.changeset/quick-fox.md', `---\n'@animal-store/client': patch\n---\n\nThe client is quick.\n`);
  expect(sandbox.release('--dry-run')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`Next release: ${second}, after ${first}.`),
  });
  const { status, stderr } = sandbox.release('--unchecked');
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining(' M openapi.yaml') });
  expect(existsSync(join(sandbox.folder, `releases/openapi-${second}.yaml`))).toBe(false);
});

test('after the release it is in the changelog, and everything has the new version', () => {
  sandbox.commit('Raise the limit');
  expect(sandbox.release('--unchecked')).toMatchObject({ status: 0 });
  expect(sandbox.read('CHANGELOG.md')).toMatch(
    /### In the contract\n\n- \*\*parameter Limit .*: `maximum` changed from 100 to 200\.\n\n## /,
  );
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
});

function run(folder: string, command: string, ...parameters: string[]): Result {
  return spawnSync(command, parameters, { cwd: folder, encoding: 'utf8' });
}

type Result = { status: number | null; stdout: string; stderr: string };

/** A copy of the project in a separate repository, without releases. */
type Sandbox = {
  folder: string;
  read: (file: string) => string;
  /** Replaces text in a file of the copy. Throws if the text is missing. */
  replace: (file: string, before: string | RegExp, after: string) => void;
  append: (file: string, text: string) => void;
  commit: (message: string) => void;
  git: (...parameters: string[]) => string;
  release: (...options: string[]) => Result;
  remove: () => void;
};

function releaseSandbox(version: string): Sandbox {
  const { folder, remove } = installedCheckout();
  const path = (file: string) => join(folder, file);
  const read = (file: string) => readFileSync(path(file), 'utf8');

  function git(...parameters: string[]): string {
    const { status, stdout, stderr } = run(folder, 'git', ...parameters);
    if (status !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`);
    return stdout.trimEnd();
  }

  function replace(file: string, before: string | RegExp, after: string): void {
    const text = read(file);
    const changed = text.replace(before, after);
    if (changed === text) throw new Error(`${file} does not contain ${before}.`);
    writeFileSync(path(file), changed);
  }

  function commit(message: string): void {
    git('add', '--all');
    git('commit', '--quiet', '--message', message);
  }

  forgetReleases(folder, version);
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Tester');
  git('config', 'user.email', 'tester@animal-store.example');
  for (const what of ['commit', 'tag']) git('config', `${what}.gpgSign`, 'false');
  // These are symbolic links here, which the pattern for folders in .gitignore does not match.
  appendFileSync(path('.git/info/exclude'), 'node_modules\n');
  commit('Start');

  return {
    folder,
    read,
    replace,
    append: (file, text) => appendFileSync(path(file), text),
    commit,
    git,
    release: (...options) => run(folder, process.execPath, 'packages/tooling/src/commands/release.ts', ...options),
    remove,
  };
}

function forgetReleases(folder: string, version: string): void {
  const old = ['releases', '.changeset'].flatMap((place) =>
    readdirSync(join(folder, place))
      .filter((file) => /^openapi-.*\.yaml$|(?<!README)\.md$/.test(file))
      .map((file) => join(folder, place, file)),
  );
  const packages = numberedPackages.map((name) => join(folder, 'packages', name));
  const changelogs = [folder, ...packages].map((place) => join(place, 'CHANGELOG.md'));
  for (const file of [...old, ...changelogs]) rmSync(file, { force: true });
  for (const place of [folder, ...packages]) {
    const manifest = join(place, 'package.json');
    const text = readFileSync(manifest, 'utf8').replace(/"version": "[^"]+"/, `"version": "${version}"`);
    writeFileSync(manifest, text);
  }
}
