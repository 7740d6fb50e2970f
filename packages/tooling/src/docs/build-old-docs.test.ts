import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { areDocsOld } from './build-old-docs.ts';

const built = new Date('2026-12-01T12:00:00Z');
const before = new Date('2026-12-01T11:00:00Z');
const after = new Date('2026-12-01T13:00:00Z');

const sources = [
  'openapi.yaml',
  'CHANGELOG.md',
  '.redocly.yaml',
  'contract-first.yaml',
  'docs/guides/keys.md',
  'tools/style/base.css',
  'packages/client/README.md',
];

let project = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'project-'));
  for (const source of sources) write(source, before);
});
afterEach(() => rmSync(project, { recursive: true }));

function write(path: string, time: Date): void {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  utimesSync(file, time, time);
}

const areOld = () => areDocsOld(project, join(project, 'tools'));

test('docs that are not built are out of date; docs built after their last source are not', () => {
  expect(areOld()).toBe(true);
  write('dist/docs/index.html', built);
  expect(areOld()).toBe(false);
});

test.each(sources)('docs are out of date if %s was changed after they were built', (source) => {
  write('dist/docs/index.html', built);
  write(source, after);
  expect(areOld()).toBe(true);
});

test('adding a source makes them out of date; adding a test does not', () => {
  write('dist/docs/index.html', built);
  write('tools/guides.test.ts', after);
  expect(areOld()).toBe(false);
  write('docs/guides/webhooks.md', after);
  expect(areOld()).toBe(true);
});
