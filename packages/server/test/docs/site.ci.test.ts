import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { guidesFolder } from '../../../tooling/src/docs/guides/read-guides.ts';
import { brokenLinks } from '../../../tooling/src/docs/links/check-links.ts';
import { redocPath } from '../../../tooling/src/docs/redoc.ts';
import type { SearchIndex } from '../../../tooling/src/docs/search/find.ts';
import { searchIndexPath } from '../../../tooling/src/docs/shell/header.ts';
import { buildSite } from '../../../tooling/src/docs/site.ts';
import { bundleContract } from '../../../tooling/src/effective/bundle.ts';

const { json } = bundleContract();
const site = await buildSite({ json });
const pages = site.filter(({ path }) => path.endsWith('.html'));

function textOf(path: string): string {
  return String(site.find((file) => file.path === path)?.content ?? '');
}

test('has a page for each guide with its Markdown, the reference, and the changelog', () => {
  const paths = site.map(({ path }) => path);
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
  ]) {
    expect(paths).toContain(path);
  }
});

test.each(pages.filter(({ path }) => path !== redocPath))(
  'the policy of $path allows no inline code without a hash, and nothing from other hosts',
  ({ contentSecurityPolicy = '', content }) => {
    expect(contentSecurityPolicy).toMatch(/^default-src 'none'; script-src 'self'/);
    expect(contentSecurityPolicy).toContain("frame-ancestors 'none'");
    expect(contentSecurityPolicy).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/);
    // On a static host, the page itself must contain the policy.
    expect(String(content)).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; /);
  },
);

test('the policy of the page by Redoc allows only its own scripts, and nothing from other hosts', () => {
  const policy = pages.find(({ path }) => path === redocPath)?.contentSecurityPolicy ?? '';
  expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-/);
  expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
});

test('a broken link in a guide fails the build, and the message names it', async () => {
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
])('a deprecation whose headers link to %s fails the build', async (documentation, problem) => {
  const wrong = json.replace('/docs/guides/deprecations.html#getpet', documentation);
  await expect(buildSite({ json: wrong })).rejects.toThrow(
    `openapi.yaml: ${documentation} of getPet leads nowhere: ${problem}`,
  );
});

test('every result of the search leads to a page and an anchor of the site', () => {
  const { entries }: SearchIndex = JSON.parse(textOf(searchIndexPath));
  expect(entries.length).toBeGreaterThan(150);
  const content = entries.map(({ address }) => `<a href="${address}">result</a>`).join('\n');
  const broken = brokenLinks([...site, { path: 'results.html', content }]);
  expect(broken.filter((problem) => problem.startsWith('results.html'))).toEqual([]);
});
