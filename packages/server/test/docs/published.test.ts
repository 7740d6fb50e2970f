import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../../tooling/src/project.ts';

type Step = { uses?: string; with?: Record<string, unknown> };

function workflow(name: string): { jobs: Record<string, { uses?: string; needs?: string[]; steps?: Step[] }> } {
  return parse(readFileSync(join(root, '.github/workflows', `${name}.yml`), 'utf8'));
}

function inputs(steps: readonly Step[] | undefined, action: string): unknown {
  return steps?.find(({ uses = '' }) => uses.startsWith(`actions/${action}@`))?.with;
}

test('a release publishes the docs that its tests have checked, after the packages', () => {
  const { test: tests, docs } = workflow('release').jobs;
  expect(tests?.uses).toBe('./.github/workflows/ci.yml');
  const uploaded = { name: 'docs', path: 'dist/docs' };
  expect(inputs(workflow('ci').jobs['test']?.steps, 'upload-artifact')).toMatchObject(uploaded);
  expect(docs?.needs).toEqual(['test', 'publish']);
  expect(inputs(docs?.steps, 'download-artifact')).toEqual(uploaded);
  expect(inputs(docs?.steps, 'upload-pages-artifact')).toEqual({ path: uploaded.path });
  expect(docs?.steps?.at(-1)?.uses).toMatch(/^actions\/deploy-pages@v\d+$/);
});
