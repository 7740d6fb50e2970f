import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseManifest } from '../../packages/server/src/pages/site/manifest.ts';
import { root } from '../root.ts';
import { buildReleasedPages } from './released-pages.ts';
import { currentVersion, releasedVersion } from './versions.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-docs-test-'));
  copyFileSync(join(root, 'openapi.yaml'), join(folder, 'openapi-1.2.3.yaml'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the current page leads to those of the releases, and says nothing before the first', () => {
  expect(currentVersion(['1.1.0', '1.0.0']).note).toContain('[1.1.0](/docs/1.1.0), [1.0.0](/docs/1.0.0)');
  expect(currentVersion([]).note).toBe('');
});

test('the page of a release leads back', () => {
  expect(releasedVersion('1.2.3').note).toContain(
    'This page is of the release 1.2.3. [The contract as it is now](/docs)',
  );
});

test('each release has its page, its policy and its contract, built once', async () => {
  const docs = join(folder, 'docs');
  expect(await buildReleasedPages(folder, docs)).toEqual([join(docs, '1.2.3')]);
  const page = readFileSync(join(docs, '1.2.3/index.html'), 'utf8');
  // A page is too long to be shown when it is not as it should be.
  const has = (text: string) => page.includes(text);
  expect(has('This page is of the release 1.2.3.')).toBe(true);
  expect(has('"url":"/docs/1.2.3/openapi.yaml"') && has('<a href="/docs/1.2.3/openapi.yaml">')).toBe(true);
  expect(has('"/openapi.yaml"')).toBe(false);
  const delivered = parseManifest(readFileSync(join(docs, '1.2.3/delivery.json'), 'utf8'));
  expect(delivered.get('index.html')?.contentSecurityPolicy).toMatch(/^default-src 'none'/);
  expect(existsSync(join(docs, '1.2.3/openapi.yaml'))).toBe(true);
  expect(await buildReleasedPages(folder, docs)).toEqual([]);
});
