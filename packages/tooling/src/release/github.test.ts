import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from '@jest/globals';
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

  test('a release fails if a known vulnerability reaches production', () => {
    const command = 'npm run --silent advisories';
    expect(commandsOf(workflow('advisories.yml').jobs['advisories'])).toContain(command);
    expect(commandsOf(workflow('release.yml').jobs['pack'])).toContain(command);
  });
});
