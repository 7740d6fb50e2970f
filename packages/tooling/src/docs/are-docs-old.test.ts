import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { areDocsOld } from './are-docs-old.ts';

const built = new Date('2026-12-01T12:00:00Z');
const before = new Date('2026-12-01T11:00:00Z');
const after = new Date('2026-12-01T13:00:00Z');

const sources = [
  'openapi.yaml',
  'CHANGELOG.md',
  '.redocly.yaml',
  'contract-first.yaml',
  'docs/guides/keys.md',
  'releases/1.0.0.yaml',
  'tools/docs/style/site.css',
  'packages/client/README.md',
  'packages/client/src/index.ts',
  'packages/client-core/src/index.ts',
];

let project = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'project-'));
  for (const source of sources) write(source, before);
});
afterEach(() => rmSync(project, { recursive: true }));

function write(path: string, time: Date, content = ''): void {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, time, time);
}

test('docs that are not built are out of date; docs built after their last source are not', () => {
  expect(areDocsOld(project, join(project, 'tools'))).toBe(true);
  write('dist/docs/delivery.json', built);
  expect(areDocsOld(project, join(project, 'tools'))).toBe(false);
});

test.each(sources)('docs are out of date if %s was changed after they were built', (source) => {
  write('dist/docs/delivery.json', built);
  write(source, after);
  expect(areDocsOld(project, join(project, 'tools'))).toBe(true);
});

test('adding a source makes them out of date; adding a test does not', () => {
  write('dist/docs/delivery.json', built);
  write('tools/docs/links/check-links.test.ts', after);
  expect(areDocsOld(project, join(project, 'tools'))).toBe(false);
  write('docs/guides/webhooks.md', after);
  expect(areDocsOld(project, join(project, 'tools'))).toBe(true);
});

test('docs without the client are out of date once it can be packed', () => {
  write('dist/docs/delivery.json', built);
  write(
    'packages/client/package.json',
    before,
    '{ "scripts": { "build": "build" }, "dependencies": { "a-library": "1.0.0" } }',
  );
  expect(areDocsOld(project, join(project, 'tools'))).toBe(false);
  write('packages/client/node_modules/a-library/index.js', before);
  expect(areDocsOld(project, join(project, 'tools'))).toBe(true);
  write('dist/docs/sdk/SHA256SUMS.txt', built);
  expect(areDocsOld(project, join(project, 'tools'))).toBe(false);
});
