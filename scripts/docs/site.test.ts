import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import MiniSearch from 'minisearch';
import { releasedVersions } from '../diff/releases.ts';
import { guidesFolder } from './guides/read-guides.ts';
import { indexOptions } from './search/entry.ts';
import { searchIndexPath } from './shell/header.ts';
import { buildSite } from './site.ts';
import { contractUnderTest } from './site-fixture.ts';

const { json, contract } = contractUnderTest();
const site = await buildSite({ json });
const pages = site.filter(({ path }) => path.endsWith('.html'));

function textOf(path: string): string {
  return String(site.find((file) => file.path === path)?.content ?? '');
}

test('has a page for each guide with its Markdown, the reference, each release, and the changelog', () => {
  const paths = site.map(({ path }) => path);
  const releases = releasedVersions().flatMap((version) => [`${version}/index.html`, `${version}/openapi.yaml`]);
  for (const path of [
    'index.html',
    'guides/limits.html',
    'guides/limits.md',
    'reference.html',
    'operations/index.html',
    'operations/createPet.html',
    'operations/createPet.md',
    'errors.html',
    '404.html',
    'changelog.html',
    ...releases,
  ]) {
    expect(paths).toContain(path);
  }
});

test.each(pages)(
  '$path lets nothing in that is inline without a hash, or from another host',
  ({ contentSecurityPolicy = '', content }) => {
    expect(contentSecurityPolicy).toMatch(/^default-src 'none'; script-src 'self'/);
    expect(contentSecurityPolicy).toContain("frame-ancestors 'none'");
    expect(contentSecurityPolicy).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/);
    // On a static host the page has to say it itself.
    expect(String(content)).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; /);
  },
);

test('the page of an operation, with what it loads, takes at most 60 KiB to transfer before try-it is opened', () => {
  const sizeOf = (path: string) => brotliCompressSync(textOf(path)).length;
  const shared = site.filter(({ path }) => /^assets\/(site|first-paint)\.\w+\.(css|js)$/.test(path));
  expect(shared).toHaveLength(3);
  const weight = shared.reduce((sum, { path }) => sum + sizeOf(path), 0);
  for (const { path } of pages.filter((page) => page.path.startsWith('operations/')))
    expect(weight + sizeOf(path)).toBeLessThan(60 * 1024);
});

test('Redoc is told to send no telemetry', () => {
  const script = site.find(({ path }) => path.startsWith('assets/reference.'));
  expect(String(script?.content)).toContain('"disableTelemetry":true');
});

test('a broken link in a guide fails the build, and is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-site-'));
  try {
    cpSync(guidesFolder, folder, { recursive: true });
    const guide = join(folder, 'keys.md');
    writeFileSync(guide, `${readFileSync(guide, 'utf8')}\n[Plans](limits.md#planes)\n`);
    await expect(buildSite({ json }, folder)).rejects.toThrow(
      'guides/keys.html: limits.html#planes leads nowhere: guides/limits.html has no anchor planes.',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['/docs', 'name the anchor of the section about it'],
  ['/docs/guides/deprecations.html#getcat', 'guides/deprecations.html has no anchor getcat.'],
  ['/docs/guides/deprecation.html#getpet', 'the site has no guides/deprecation.html.'],
])('a deprecation whose headers lead to %s fails the build', async (documentation, problem) => {
  const wrong = json.replace('/docs/guides/deprecations.html#getpet', documentation);
  await expect(buildSite({ json: wrong })).rejects.toThrow(
    `openapi.yaml: ${documentation} of getPet leads nowhere: ${problem}`,
  );
});

test('every error code has a row in the table, and the reference leads to it', () => {
  const reference = site.find(({ path }) => path.startsWith('assets/reference.'));
  for (const code of Object.keys(contract.components.schemas.ErrorCode['x-codes'])) {
    expect(textOf('errors.html')).toContain(`id="${code}"`);
    expect(String(reference?.content)).toContain(`errors.html#${code}`);
  }
});

test.each([
  ['429', ['guides/limits.html#what-to-do-on-a-429', 'guides/errors.html#rate_limited']],
  ['rate_limited', ['guides/errors.html#rate_limited']],
  ['cursor', ['operations/listPets.html']],
  ['listPets', ['operations/listPets.html']],
  ['idempotency', ['guides/repeat-safe-creation.html#send-an-idempotency-key']],
  ['Retry-After', ['guides/limits.html#what-every-reply-tells-you']],
  ['bans', ['guides/limits.html#bans']],
  ['depricated', ['guides/versions.html#deprecated-operations']],
])('the search finds for "%s" among the first what answers it', (words, addresses) => {
  const index = MiniSearch.loadJSON(textOf(searchIndexPath), indexOptions);
  const found = index
    .search(words)
    .slice(0, 8)
    .map(({ address }) => address);
  expect(found).toEqual(expect.arrayContaining(addresses));
});
