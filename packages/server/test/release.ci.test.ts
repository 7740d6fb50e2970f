import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractVersion } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { versionAfter } from '../../tooling/src/diff/releases.ts';
import { root } from '../../tooling/src/project.ts';
import { numberedPackages } from '../../tooling/src/release/packages.ts';
import { installedCheckout } from '../../tooling/test/checkout.ts';
import { findNode, leaveOutNode } from '../../tooling/test/node-versions.ts';
import { installTarballs } from '../../tooling/test/tarballs.ts';

/** A program of a user of the contract, which prints its results. */
const userCode = `
import { contractVersion, type ErrorCode, operations, type Pet } from '@animal-store/contract';
import { contractJson } from '@animal-store/contract/document';

const code: ErrorCode = 'pet_not_found';
// @ts-expect-error: the contract has no such status
const pet: Pet = { id: 1, name: 'Rex', categoryId: 3, status: 'lost' };
const { info }: { info: { version: string } } = JSON.parse(contractJson);
console.log(JSON.stringify({ pet, code, contractVersion, version: info.version, path: operations.listPets.path }));
`;

const first = contractVersion;
const second = versionAfter(first, 'minor');
let sandbox: Sandbox;
let firstRun: Result;

beforeAll(() => {
  sandbox = releaseSandbox(first);
  firstRun = sandbox.release('--unchecked');
});
afterAll(() => sandbox.remove());

test('the first release copies the contract, starts the changelogs, packs, commits and tags', () => {
  expect(firstRun).toMatchObject({ status: 0, stdout: expect.stringContaining(`Released ${first} locally.`) });
  expect(sandbox.read(`releases/openapi-${first}.yaml`)).toBe(sandbox.read('openapi.yaml'));
  expect(sandbox.read('CHANGELOG.md')).toMatch(
    /^## .* \(\d{4}-\d\d-\d\d\)\n\nThe first release\.\n\n- \*\*listPets\*\*/m,
  );
  expect(sandbox.read('packages/client/CHANGELOG.md')).toContain(`## ${first}\n\nThe first release.`);
  expect(readdirSync(join(sandbox.folder, 'dist/packages')).sort()).toEqual([
    'SHA256SUMS',
    `animal-store-client-${first}.cdx.json`,
    `animal-store-client-${first}.tgz`,
    `animal-store-contract-${first}.cdx.json`,
    `animal-store-contract-${first}.tgz`,
    `animal-store-server-${first}.cdx.json`,
  ]);
  expect(sandbox.git('status', '--short')).toBe('');
  expect(sandbox.git('describe')).toBe(`v${first}`);
});

test('it pushes and publishes nothing, and prints the commands for that', () => {
  expect(firstRun.stdout).toContain(`  git push --atomic origin main v${first}\n`);
  expect(firstRun.stdout).toContain(`  npm publish --access public dist/packages/animal-store-contract-${first}.tgz
  npm publish --access public dist/packages/animal-store-client-${first}.tgz`);
});

test('the checksums are those of the tarballs and SBOMs', () => {
  const sums = [...sandbox.read('dist/packages/SHA256SUMS').matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)];
  expect(sums.map(([, , file]) => file).sort()).toEqual(
    readdirSync(join(sandbox.folder, 'dist/packages'))
      .filter((file) => file !== 'SHA256SUMS')
      .sort(),
  );
  for (const [, sum, file = ''] of sums) {
    const content = readFileSync(join(sandbox.folder, 'dist/packages', file));
    expect(sum).toBe(createHash('sha256').update(content).digest('hex'));
  }
});

test('the SBOM of the client lists the packages whose licenses it contains', () => {
  const licenses = run(sandbox.folder, 'tar', '-xOzf', tarball('client'), 'package/dist/LICENSES.txt').stdout;
  const { components }: { components: { purl: string }[] } = JSON.parse(
    sandbox.read(`dist/packages/animal-store-client-${first}.cdx.json`),
  );
  const contained = [...licenses.matchAll(/^(@?[a-z][^ ]*) (\d\S*) \(/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  );
  expect(contained.length).toBeGreaterThan(0);
  const listed = components.map(({ purl }) => decodeURIComponent(purl).replace('pkg:npm/', ''));
  expect(listed.sort()).toEqual(contained.sort());
});

// The client's own tests install its tarball.
describe('the packed contract', () => {
  let project = '';
  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), 'animal-store-user-'));
    await installTarballs([tarball('contract')], project);
    writeFileSync(join(project, 'user.ts'), userCode);
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test.each([
    ['the TypeScript that generates types', join(root, 'packages/tooling/node_modules/typescript/bin/tsc')],
    ['the TypeScript that checks the project', join(root, 'node_modules/typescript/bin/tsc')],
  ])('has the right types for users of %s', (_name, compiler) => {
    // Checks the whole package, but not the compiler's own library.
    const options = '--strict --target es2022 --lib es2022,dom --module nodenext --skipDefaultLibCheck';
    const { stdout, status } = run(project, process.execPath, compiler, ...options.split(' '), 'user.ts');
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });

  for (const major of [20, 22, 24, 26]) {
    const node = findNode(major);
    if (node === undefined) leaveOutNode('the packages', major);
    const onNode = node === undefined ? test.skip : test;

    onNode(`works on Node ${major}`, () => {
      const { stdout, stderr } = run(project, node ?? '', 'user.js');
      expect({ stderr, ...JSON.parse(stdout || '{}') }).toEqual({
        stderr: '',
        pet: { id: 1, name: 'Rex', categoryId: 3, status: 'lost' },
        code: 'pet_not_found',
        contractVersion,
        version: contractVersion,
        path: '/pets',
      });
    });
  }
});

test.each(['contract', 'client'])('the packed %s has no source, no test and no link to the workspace', (name) => {
  const files = run(sandbox.folder, 'tar', '-tzf', tarball(name)).stdout.split('\n');
  expect(files).toEqual(expect.arrayContaining(['package/LICENSE', 'package/package.json', 'package/dist/index.js']));
  expect(files.filter((file) => /^package\/src|\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  expect(run(sandbox.folder, 'tar', '-xOzf', tarball(name), 'package/package.json').stdout).not.toContain('workspace:');
});

test('a second run finds nothing to release', () => {
  const { status, stdout } = sandbox.release();
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `${first} is already released (tag v${first}), and nothing has changed since.\n`,
  });
});

test('a run that was stopped before the tag is completed by the next run', () => {
  sandbox.git('tag', '--delete', `v${first}`);
  expect(sandbox.release().stdout).toBe(`${first} was released without a tag. Added v${first}.\n`);
  expect(sandbox.git('describe')).toBe(`v${first}`);
});

test('a breaking change is not released', () => {
  sandbox.replace('openapi.yaml', '        maximum: 100\n', '        maximum: 50\n');
  const { status, stderr } = sandbox.release('--unchecked');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The release has problems:\nopenapi\.yaml:\d+: parameter Limit .*<= 50/);
});

test('a breaking change with an exception is planned, but not released from a dirty tree', () => {
  sandbox.append(
    'releases/exceptions.yaml',
    `- at: '#/components/parameters/Limit/schema/maximum'
  change: Upper bound changed from '<= 100' to '<= 50'.
  reason: Larger pages timed out.
  release: ${second}
`,
  );
  sandbox.replace('openapi.yaml', `  version: ${first}\n`, `  version: ${second}\n`);
  sandbox.append('.changeset/quick-fox.md', `---\n'@animal-store/client': patch\n---\n\nThe client is quick.\n`);
  expect(sandbox.release('--dry-run')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      RegExp(`Next release: ${second}, after ${first}\\.[^]*@animal-store/client was not checked: npm did not respond`),
    ),
  });
  const { status, stderr } = sandbox.release('--unchecked');
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining(' M openapi.yaml') });
  expect(existsSync(join(sandbox.folder, `releases/openapi-${second}.yaml`))).toBe(false);
});

test('after the release it is in the changelog, and everything has the new version', () => {
  sandbox.commit('Lower the limit');
  expect(sandbox.release('--unchecked')).toMatchObject({ status: 0 });
  // Other operations that use the parameter are named as well.
  const changelog = sandbox.read('CHANGELOG.md').replace(/Limit\*\* in listPets[^:]*:/, 'Limit** in listPets:');
  expect(changelog).toContain(`

### Changed for you

- **parameter Limit** in listPets: Upper bound changed from \`<= 100\` to \`<= 50\`. *Larger pages timed out.*

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
});

function tarball(name: string): string {
  return join(sandbox.folder, `dist/packages/animal-store-${name}-${first}.tgz`);
}

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
    // Asks no registry about the names of the packages.
    release: (...options) =>
      run(
        folder,
        'env',
        'npm_config_offline=true',
        process.execPath,
        'packages/tooling/src/commands/release.ts',
        ...options,
      ),
    remove,
  };
}

function forgetReleases(folder: string, version: string): void {
  const old = ['releases', '.changeset'].flatMap((place) =>
    readdirSync(join(folder, place))
      .filter((file) => /^openapi-.*\.yaml$|^exceptions\.yaml$|(?<!README)\.md$/.test(file))
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
