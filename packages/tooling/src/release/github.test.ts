import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../project.ts';
import { publishedPackages } from './packages.ts';

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

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
    expect(JSON.parse(read('.github/renovate.json')).extends).toContain('helpers:pinGitHubActionDigests');
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
    const [loop = '', ...others] = commandsOf(publish);
    const folders = publishedPackages.map((name) => `packages/${name}/package.json`);
    expect(loop.match(/@[\w-]+\/[\w-]+/g)).toEqual(folders.map((file) => JSON.parse(read(file)).name));
    expect(others).toEqual([expect.stringMatching(/^gh release view /)]);
    expect(commandsOf(pack).join('\n')).toContain(`for name in ${publishedPackages.join(' ')}; do`);
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
