import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { contractDocument } from '../../../tooling/src/contract/generated.ts';
import type { SearchEntry } from '../../../tooling/src/docs/search/find.ts';
import { buildSite } from '../../../tooling/src/docs/site.ts';

const site = buildSite();
const texts = new Map(site.map(({ path, content }) => [path, String(content)]));

/** Why a link of a file leads nowhere; undefined if it does not. Links to other hosts are not checked. */
function problemOf(from: string, link: string): string | undefined {
  if (/^(?:https?:|mailto:|data:)/.test(link)) return undefined;
  const [path = '', fragment] = link.split('#');
  const target = path === '' ? from : posix.join(posix.dirname(from), path);
  // The server has these next to the docs.
  if (/^\.\.\/openapi\.(yaml|json)$/.test(target)) return undefined;
  const text = texts.get(target.replace(/\.md$/, fragment === undefined ? '.md' : '.html'));
  if (text === undefined) return `${from}: ${link} leads nowhere`;
  return fragment === undefined || text.includes(` id="${fragment}"`) ? undefined : `${from}: ${link} has no anchor`;
}

function linksOf(path: string, text: string): string[] {
  const pattern = path.endsWith('.html') ? / (?:href|src)="([^"]*)"/g : /\]\(([^)\s]+)\)/g;
  return [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(pattern)].map(([, link = '']) => link);
}

test('every link of a page, of Markdown and of the search leads to a file and an anchor of the site', () => {
  const files = [...texts].filter(([path]) => /\.(?:html|md|txt)$/.test(path) && path !== 'reference.html');
  const entries: SearchEntry[] = JSON.parse(texts.get('assets/search.json') ?? '');
  expect(entries.length).toBeGreaterThan(150);
  const problems = [
    ...files.flatMap(([path, text]) => linksOf(path, text).map((link) => problemOf(path, link))),
    ...entries.map(({ url }) => problemOf('index.html', url)),
    problemOf('index.html', 'guides/limits.md#planes'),
  ];
  expect(problems.filter((problem) => problem !== undefined)).toEqual([
    'index.html: guides/limits.md#planes has no anchor',
  ]);
});

test('the headers of a deprecated operation link to the section about it', () => {
  const { documentation = '' } = contractDocument().paths['/pets/{petId}']?.get?.['x-deprecation'] ?? {};
  expect(documentation).toMatch(/^\/docs\/.+#/);
  expect(problemOf('index.html', documentation.replace('/docs/', ''))).toBeUndefined();
});
