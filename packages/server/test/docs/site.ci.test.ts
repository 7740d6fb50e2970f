import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type ErrorBody, errorStatus } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import { expect, test } from '@jest/globals';
import { ApiError, jsonOf } from '../../../service/src/contract/api-error.ts';
import { releasedVersions } from '../../../tooling/src/diff/releases.ts';
import { inMarkdown } from '../../../tooling/src/diff/report.ts';
import { guidesFolder, readGuides } from '../../../tooling/src/docs/guides/read-guides.ts';
import { brokenLinks } from '../../../tooling/src/docs/links/check-links.ts';
import type { SearchIndex } from '../../../tooling/src/docs/search/find.ts';
import { searchIndexPath } from '../../../tooling/src/docs/shell/header.ts';
import { buildSite } from '../../../tooling/src/docs/site.ts';
import { bundleContract } from '../../../tooling/src/effective/bundle.ts';
import { root } from '../../../tooling/src/project.ts';
import { packVersion, sourceState } from '../../../tooling/src/release/pack-version.ts';
import { numberedPackages, packageVersion } from '../../../tooling/src/release/packages.ts';
import { planRelease } from '../../../tooling/src/release/plan.ts';

const { json, document } = bundleContract();
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
    'redoc/index.html',
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

test('the reference of the client leads to each of its pages, and they lead back', () => {
  const reference = textOf('guides/client-reference.html');
  const [, text = ''] = reference.split('<main');
  const names = ['compared', 'react', 'shared-gate', 'vue-svelte-solid'].map((page) => `client-${page}`);
  expect(names.filter((name) => !text.includes(`href="${name}.html"`))).toEqual([]);
  expect(text).toContain('href="client-react.html#a-form-with-field-errors"');
  expect(textOf('guides/client-compared.html')).toContain('href="client-reference.html#requirements"');
});

test.each(pages)(
  'the policy of $path allows no inline code without a hash, and nothing from other hosts',
  ({ contentSecurityPolicy = '', content }) => {
    expect(contentSecurityPolicy).toMatch(/^default-src 'none'; script-src 'self'/);
    expect(contentSecurityPolicy).toContain("frame-ancestors 'none'");
    expect(contentSecurityPolicy).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/);
    // On a static host, the page itself must contain the policy.
    expect(String(content)).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; /);
  },
);

test('the page of an operation and the files that it loads transfer at most 60 KiB before try-it is opened', () => {
  const sizeOf = (path: string) => brotliCompressSync(textOf(path)).length;
  const shared = site.filter(({ path }) => /^assets\/(site|first-paint)\.\w+\.(css|js)$/.test(path));
  expect(shared).toHaveLength(3);
  const weight = shared.reduce((sum, { path }) => sum + sizeOf(path), 0);
  for (const { path } of pages.filter((page) => page.path.startsWith('operations/')))
    expect(weight + sizeOf(path)).toBeLessThan(60 * 1024);
});

test('the telemetry of Redoc is off', () => {
  const script = site.find(({ path }) => path.startsWith('assets/reference.'));
  expect(String(script?.content)).toContain('"disableTelemetry":true');
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

test('every error code has a row, and error responses link to it', () => {
  for (const code of Object.keys(errorStatus).filter(isErrorCode)) {
    const { documentation }: ErrorBody = JSON.parse(jsonOf(new ApiError(code, ''), contract, ''));
    expect(documentation).toBe(`/docs/errors.html#${code}`);
    expect(textOf('errors.html')).toContain(`id="${code}"`);
  }
});

test('every result of the search leads to a page and an anchor of the site', () => {
  const { entries }: SearchIndex = JSON.parse(textOf(searchIndexPath));
  expect(entries.length).toBeGreaterThan(150);
  const content = entries.map(({ address }) => `<a href="${address}">result</a>`).join('\n');
  const broken = brokenLinks([...site, { path: 'results.html', content }]);
  expect(broken.filter((problem) => problem.startsWith('results.html'))).toEqual([]);
});

test('every page has a preview for chats and social networks', () => {
  expect(pages.filter(({ content }) => !String(content).includes('<meta property="og:title" content="'))).toEqual([]);
});

test('Redoc renders the contract as it is now and each release, and search engines leave these pages out', () => {
  const byRedoc = pages.filter(({ path }) => isByRedoc(path));
  expect(byRedoc).toHaveLength(1 + releasedVersions().length);
  for (const { content } of byRedoc) {
    expect(String(content)).toContain('<meta name="robots" content="noindex">');
    expect(String(content)).toContain('id="redoc"');
  }
  expect(textOf('operations/createPet.html')).toContain('href="../redoc/index.html"');
});

test('the sitemap has each page once, with its URL on the production server, and none by Redoc', () => {
  const urls = [...textOf('sitemap.xml').matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => url);
  const base = 'https://api.animal-store.example/docs/';
  expect(urls).toContain(base);
  expect(urls).toContain(`${base}guides/orders.html`);
  expect(urls.filter((url) => isByRedoc(url.slice(base.length)))).toEqual([]);
  expect(new Set(urls).size).toBe(urls.length);
  const paths = pages.map(({ path }) => path);
  expect(urls.filter((url) => url !== base && !paths.includes(url.slice(base.length)))).toEqual([]);
});

test('llms.txt has the name, the summary, the contract and each guide as Markdown', () => {
  const text = textOf('llms.txt');
  expect(text).toMatch(/^# Animal Store\n\n> List, add, order and manage the animals in a store/);
  for (const { name, title } of readGuides(document)) expect(text).toContain(`- [${title}](guides/${name}.md): `);
  for (const name of ['openapi.yaml', 'openapi.json']) expect(text).toContain(`(${name})`);
  for (const { path } of site.filter((file) =>
    /^(operations|collections)\/(?!index).*\.(md|json)$|^errors\.md$/.test(file.path),
  )) {
    expect(text).toContain(`](${path}): `);
  }
});

test('the contract is next to the pages, in its original form and as JSON', () => {
  expect(textOf('openapi.yaml')).toBe(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  expect(textOf('openapi.json')).toBe(json);
});

test('llms-full.txt has every guide, the reference, the error codes and the changelog, and all its links work', () => {
  const text = textOf('llms-full.txt');
  for (const { path, content } of site.filter((file) =>
    /^(guides\/.*|reference|errors|changelog)\.md$/.test(file.path),
  )) {
    const [title = path] = /^# .*$/m.exec(String(content)) ?? [];
    expect(text.split('\n')).toContain(title);
  }
  expect(brokenLinks(site).filter((problem) => problem.startsWith('llms'))).toEqual([]);
  expect(text).toContain('](guides/limits.md#bans)');
  const broken = text.replace('](guides/limits.md#bans)', '](limits.md#bans)');
  const problems = brokenLinks([...site, { path: 'llms-full.txt', content: broken }]);
  expect(problems.filter((problem) => problem.startsWith('llms'))).toEqual([
    'llms-full.txt: limits.html#bans leads nowhere: the site has no limits.html.',
  ]);
});

test('every page has its Markdown next to it, except those without content of their own and those by Redoc', () => {
  const without = pages.filter(({ path }) => !site.some((file) => file.path === path.replace(/html$/, 'md')));
  expect(without.map(({ path }) => path).filter((path) => !isByRedoc(path))).toEqual([
    'console.html',
    '404.html',
    'get-key.html',
  ]);
});

test('the page of a release has every difference from the previous one', async () => {
  const { last } = await planRelease(new Date());
  const { stable = [], beta = [] } = last?.check.comparison ?? {};
  const text = stable.length + beta.length === 0 ? '' : textOf('changes/unreleased.md');
  expect([...stable, ...beta].filter(({ message }) => !text.includes(inMarkdown(message)))).toEqual([]);
});

function isByRedoc(path: string): boolean {
  return /^(redoc|\d+\.\d+\.\d+)\//.test(path);
}

function isErrorCode(code: string): code is keyof typeof errorStatus {
  return code in errorStatus;
}

test('every page, the files for programs, the changelog and the packages name the same version', async () => {
  const { version, last } = await planRelease(new Date());
  const isReleased = document.info.version === last?.version;
  const words = isReleased
    ? `Version ${version}`
    : `Version ${version}, not yet released (last release: ${last?.version})`;
  const own = pages.filter(({ path }) => !/^\d+\.\d/.test(path));
  expect(own.length).toBeGreaterThan(40);
  expect(
    own.filter(({ content }) => !String(content).includes(`<span>${words}</span>`)).map(({ path }) => path),
  ).toEqual([]);
  for (const path of ['llms.txt', 'llms-full.txt', 'index.html', 'guides/versions.md'])
    expect(textOf(path)).toContain(words);
  if (!isReleased) expect(textOf('changelog.md')).toContain(`\n## ${version} (not yet released)\n`);
  expect(textOf('changelog.atom').match(/<title>Version (.*)<\/title>/)?.[1]).toBe(last?.version);
  expect(numberedPackages.map(packageVersion)).toEqual(numberedPackages.map(() => last?.version));
  expect(packVersion(sourceState()).replace(/-dev.*/, '')).toBe(version);
});
