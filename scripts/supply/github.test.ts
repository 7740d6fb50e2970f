import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../root.ts';

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
    expect(owner).toMatch(/^@animal-store\/[a-z]+$/);
  }
});

describe('the workflows', () => {
  type Step = { uses?: string; run?: string };
  type Job = { uses?: string; needs?: string; permissions?: Record<string, string>; steps?: Step[] };
  type Workflow = { permissions: Record<string, string>; jobs: Record<string, Job> };
  const names = globSync('*.yml', { cwd: join(root, '.github/workflows') });

  function workflow(name: string): Workflow {
    return parse(read(`.github/workflows/${name}`));
  }

  function commandsOf({ steps = [] }: Job = {}): string[] {
    return steps.flatMap(({ run }) => run ?? []);
  }

  test.each(names)('%s can only read, apart from the job that publishes', (name) => {
    const { permissions, jobs } = workflow(name);
    expect(permissions).toEqual({ contents: 'read' });
    const withMore = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(withMore.map(([job]) => `${name} ${job}`)).toEqual(name === 'release.yml' ? ['release.yml publish'] : []);
  });

  test('a release is published after its tests, with provenance, and with its SBOMs and checksums', () => {
    const { jobs } = workflow('release.yml');
    const publish = jobs['publish'];
    expect(publish).toMatchObject({ needs: 'test', permissions: { contents: 'write', 'id-token': 'write' } });
    expect(jobs['test']?.uses).toBe('./.github/workflows/ci.yml');
    const commands = commandsOf(publish);
    const packages = commands.flatMap(
      (command) => /^npm publish .*animal-store-(\w+)-\*\.tgz$/.exec(command)?.[1] ?? [],
    );
    expect(packages).toEqual(['contract', 'client']);
    expect(commands.filter((command) => /^npm publish (?!--provenance )/.test(command))).toEqual([]);
    expect(commands.at(-1)).toMatch(/^gh release create .* dist\/packages\/\*$/);
  });

  test('changes and releases fail if a known vulnerability reaches production, or if no database answers', () => {
    const command = 'npm run --silent advisories -- --required';
    expect(commandsOf(workflow('advisories.yml').jobs['advisories'])).toContain(command);
    expect(commandsOf(workflow('release.yml').jobs['publish'])).toContain(command);
    expect(read('.ci/run')).toMatch(/^npm run --silent advisories$/m);
  });
});
