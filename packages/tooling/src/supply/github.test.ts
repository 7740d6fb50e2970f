import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { project, root } from '../project.ts';

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

const settings: Settings = parse(read('pnpm-workspace.yaml'));
const renovate: Renovate = JSON.parse(read('.github/renovate.json'));

type Settings = {
  catalog: Record<string, string>;
  catalogs: Record<string, Record<string, string>>;
  overrides: Record<string, string>;
  minimumReleaseAge: number;
  patchedDependencies: Record<string, string>;
};

type Rule = {
  matchPackageNames?: string[];
  enabled?: boolean;
  dependencyDashboardApproval?: boolean;
  automerge?: boolean;
};

type Renovate = {
  extends: string[];
  minimumReleaseAge: string;
  automerge: boolean;
  vulnerabilityAlerts: { minimumReleaseAge: string };
  customManagers: { managerFilePatterns: string[]; matchStrings: string[] }[];
  packageRules: Rule[];
};

/** A pattern between slashes is a regular expression, every other one is a glob. */
function matches(pattern: string, name: string): boolean {
  return pattern.startsWith('/') ? RegExp(pattern.slice(1, -1)).test(name) : matchesGlob(name, pattern);
}

function rulesFor(name: string): Rule[] {
  return renovate.packageRules.filter(({ matchPackageNames = [] }) =>
    matchPackageNames.some((pattern) => matches(pattern, name)),
  );
}

describe('Renovate', () => {
  test('waits as long as pnpm does, for fixes of vulnerabilities too', () => {
    const days = `${settings.minimumReleaseAge / (24 * 60)} days`;
    expect([renovate.minimumReleaseAge, renovate.vulnerabilityAlerts.minimumReleaseAge]).toEqual([days, days]);
  });

  test('merges nothing on its own', () => {
    expect([renovate, ...renovate.packageRules].filter(({ automerge }) => automerge === true)).toEqual([]);
    expect(renovate.automerge).toBe(false);
  });

  test.each([...Object.keys(settings.patchedDependencies), ...Object.keys(settings.overrides)])(
    'asks before it updates %s, which is patched or overridden',
    (entry) => {
      const name = /^(?:.*>)?(@?[^@>]+)/.exec(entry)?.[1] ?? '';
      expect(rulesFor(name)).toContainEqual(expect.objectContaining({ dependencyDashboardApproval: true }));
    },
  );

  test.each(['openapi-typescript', 'openapi-fetch'])('leaves %s alone, which is frozen', (name) => {
    expect(settings.catalog).toHaveProperty([name]);
    expect(rulesFor(name)).toContainEqual(expect.objectContaining({ enabled: false }));
  });

  test('has no rule for a package that the project does not use', () => {
    const used = [
      ...Object.keys(settings.catalog),
      ...Object.values(settings.catalogs).flatMap(Object.keys),
      ...Object.keys(settings.overrides).map((entry) => entry.replace(/^.*>/, '')),
    ];
    const patterns = renovate.packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames);
    const unused = patterns.filter((pattern) => !used.some((name) => matches(pattern, name)));
    expect(unused).toEqual([]);
  });

  test('finds the version of pnpm in package.json', () => {
    const { config } = JSON.parse(read('package.json'));
    const [manager] = renovate.customManagers;
    expect(RegExp(manager?.matchStrings[0] ?? '').exec(read('package.json'))?.groups?.['currentValue']).toBe(
      config.pnpm,
    );
  });
});

test('each path in CODEOWNERS exists and has an owner', () => {
  const lines = read('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    const [path = '', owner] = line.split(/\s+/);
    expect(globSync(path.replace(/^\//, ''), { cwd: root })).not.toEqual([]);
    expect(owner).toMatch(RegExp(`^@${project.id}/[a-z]+$`));
  }
});

describe('the workflows', () => {
  type Step = { name?: string; uses?: string; run?: string; with?: Record<string, unknown> };
  type Job = { uses?: string; needs?: string[]; permissions?: Record<string, string>; steps?: Step[] };
  type Workflow = { permissions: Record<string, string>; jobs: Record<string, Job> };
  const names = globSync('*.yml', { cwd: join(root, '.github/workflows') });

  function workflow(name: string): Workflow {
    return parse(read(`.github/workflows/${name}`));
  }

  function commandsOf({ steps = [] }: Job = {}): string[] {
    return steps.flatMap(({ run }) => run ?? []);
  }

  test.each(names)('%s can only read, apart from the jobs that publish', (name) => {
    const { permissions, jobs } = workflow(name);
    expect(permissions).toEqual({ contents: 'read' });
    const withMore = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(withMore.map(([job]) => job)).toEqual(name === 'release.yml' ? ['publish', 'docs'] : []);
  });

  test.each(names)("%s uses GitHub's own actions only, which Renovate pins by digest", (name) => {
    const { jobs } = workflow(name);
    const actions = Object.values(jobs).flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)]);
    expect(actions.filter((action) => action !== undefined && !/^(actions\/|\.\/)/.test(action))).toEqual([]);
    expect(renovate.extends).toContain('helpers:pinGitHubActionDigests');
  });

  test('the job that publishes a release needs its tests, and neither checks out nor installs anything', () => {
    const { test: tests, pack, publish } = workflow('release.yml').jobs;
    expect(publish).toMatchObject({
      needs: ['test', 'pack'],
      permissions: { contents: 'write', 'id-token': 'write' },
    });
    expect(tests?.uses).toBe('./.github/workflows/ci.yml');
    const actionsOf = (job?: Job) => job?.steps?.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? []);
    expect(actionsOf(publish)).toEqual(['actions/download-artifact', 'actions/setup-node']);
    expect(commandsOf(publish).filter((command) => !/^(npm view|gh release view) /.test(command))).toEqual([]);
    expect(actionsOf(pack)?.at(-1)).toBe('actions/upload-artifact');
    expect(pack?.steps?.[0]?.with).toEqual({ 'fetch-depth': 0, 'persist-credentials': false });
  });

  test('the job that publishes the docs takes those that the tests checked, and runs no commands', () => {
    const { docs } = workflow('release.yml').jobs;
    expect(docs).toMatchObject({ needs: ['test', 'publish'] });
    expect(docs?.permissions).toEqual({ pages: 'write', 'id-token': 'write' });
    expect(commandsOf(docs)).toEqual([]);
    const actions = ['actions/download-artifact', 'actions/upload-pages-artifact', 'actions/deploy-pages'];
    expect(docs?.steps?.map(({ uses }) => uses?.replace(/@.*/, ''))).toEqual(actions);
  });

  describe('the commands of a release', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'release-'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    /** As GitHub runs a command: with Bash, ending at the first error. */
    function bash(command: string, environment: Record<string, string> = {}) {
      const env = {
        ...process.env,
        GITHUB_SERVER_URL: 'https://github.example',
        GITHUB_REPOSITORY: 'us/store',
        GITHUB_REF_NAME: 'v1.2.0',
        ...environment,
      };
      const { status, stdout, stderr } = spawnSync('bash', ['-ec', command], { cwd: folder, encoding: 'utf8', env });
      return { status, stdout, stderr };
    }

    function commandNamed(name: string): string {
      return workflow('release.yml').jobs['pack']?.steps?.find((step) => step.name === name)?.run ?? '';
    }

    test.each([
      ['https://github.example/us/store', 0, ''],
      [
        'https://git.example/store',
        1,
        '::error::Set "repository" in package.json to https://github.example/us/store. With https://git.example/store, npm refuses the provenance.\n',
      ],
    ])('with the repository %s in package.json, the check ends with %d', (repository, status, stdout) => {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', repository }));
      expect(bash(commandNamed('Check the repository in package.json'))).toEqual({ status, stdout, stderr: '' });
    });

    test('a tag on main passes, and one on another branch does not', () => {
      const commit = 'git -c user.name=Tester -c user.email=tester@example commit --quiet --allow-empty --message';
      const check = commandNamed('Check that the tag is on main');
      bash(`git init --quiet; ${commit} Release; ${commit} Later; git update-ref refs/remotes/origin/main HEAD`);
      expect(bash(`git checkout --quiet HEAD~1; ${check}`)).toMatchObject({ status: 0, stdout: '' });
      expect(bash(`${commit} Other; ${check}`)).toMatchObject({
        status: 1,
        stdout: '::error::The commit of v1.2.0 is not on main. Only commits on main are published.\n',
      });
    });

    const tarball = (name: string) => `dist/packages/${project.id}-${name}-1.2.0.tgz`;

    /** Runs the commands of the job that publishes. Returns those that change something outside. */
    function publish(existing: readonly string[]): string[] {
      for (const path of ['bin', 'dist/packages']) mkdirSync(join(folder, path), { recursive: true });
      for (const name of ['contract', 'client']) {
        writeFileSync(join(folder, tarball(name)), '');
      }
      // Replaces npm and gh: records its arguments, and finds only what exists.
      const program = `#!/usr/bin/env bash
echo "$(basename "$0") $*" >> calls
if [[ "$*" != *view* ]]; then exit 0; fi
for one in $EXISTING; do if [[ "$*" == *"$one"* ]]; then echo 1.2.0; exit 0; fi; done
exit 1
`;
      for (const name of ['npm', 'gh']) {
        writeFileSync(join(folder, 'bin', name), program);
        chmodSync(join(folder, 'bin', name), 0o755);
      }
      writeFileSync(join(folder, 'calls'), '');
      const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, EXISTING: existing.join(' ') };
      for (const command of commandsOf(workflow('release.yml').jobs['publish'])) {
        expect(bash(command, environment)).toMatchObject({ status: 0, stderr: '' });
      }
      const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
      return calls.filter((call) => !call.includes(' view '));
    }

    const publishContract = `npm publish --provenance --access public ${tarball('contract')}`;
    const publishClient = `npm publish --provenance --access public ${tarball('client')}`;
    const createRelease = `gh release create v1.2.0 --verify-tag --notes See https://github.example/us/store/blob/v1.2.0/CHANGELOG.md ${tarball('client')} ${tarball('contract')}`;

    test('publish the packages with provenance, and attach all files to a release', () => {
      expect(publish([])).toEqual([publishContract, publishClient, createRelease]);
    });

    test.each([
      [['contract@1.2.0'], [publishClient, createRelease]],
      [['contract@1.2.0', 'client@1.2.0'], [createRelease]],
      [['contract@1.2.0', 'client@1.2.0', 'v1.2.0'], []],
    ])('continue after a run that ended with %j', (existing, calls) => {
      expect(publish(existing)).toEqual(calls);
    });
  });

  test('changes and releases fail if a known vulnerability reaches production, or if no database answers', () => {
    const command = 'npm run --silent advisories -- --required';
    expect(commandsOf(workflow('advisories.yml').jobs['advisories'])).toContain(command);
    expect(commandsOf(workflow('release.yml').jobs['pack'])).toContain(command);
    expect(read('.ci/run')).toMatch(/^npm run --silent advisories$/m);
  });
});
