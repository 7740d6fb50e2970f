import { expect, test } from '@jest/globals';
import type { SiteFile } from '../site-file.ts';
import { brokenLinks } from './check-links.ts';

const target: SiteFile = { path: 'guides/limits.html', content: '<h2 id="bans">Bans</h2>' };
const operation: SiteFile = { path: 'operations/listNotes.html', content: '<h2 id="limits">Limits</h2>' };

function brokenIn(content: string, path = 'guides/keys.html'): string[] {
  return brokenLinks([{ path, content }, target, operation, { path: 'openapi.yaml', content: '' }]);
}

test.each([
  ['a page', 'limits.html'],
  ['an anchor of a page', 'limits.html#bans'],
  ['an operation in the reference', '../operations/listNotes.html#limits'],
  ['a file next to the pages', '../openapi.yaml'],
  ['another host', 'https://example.com/not-checked'],
])('a link to %s is valid', (_what, address) => {
  expect(brokenIn(`<a href="${address}">there</a>`)).toEqual([]);
});

test.each([
  ['a missing page', 'limit.html', 'the site has no guides/limit.html.'],
  ['a missing anchor', 'limits.html#ban', 'guides/limits.html has no anchor ban.'],
  ['a missing anchor on the same page', '#top', 'guides/keys.html has no anchor top.'],
  ['a missing operation', '../operations/sendNote.html', 'the site has no operations/sendNote.html.'],
  ['a missing release', '../0.9.0/index.html', 'the site has no 0.9.0/index.html.'],
  ['the root of the host', '/docs', 'links of the site are relative, so that it works in any folder of a host.'],
])('a link to %s is reported', (_what, address, reason) => {
  expect(brokenIn(`<a href="${address}">there</a>`)).toEqual([`guides/keys.html: ${address} leads nowhere: ${reason}`]);
});

test('scripts and styles count as links', () => {
  expect(brokenIn('<script src="../assets/gone.js"></script>')).toHaveLength(1);
  expect(brokenIn('<link rel="stylesheet" href="../assets/gone.css">')).toHaveLength(1);
});

test('links in Markdown are checked too, against the anchors of the pages; code is not', () => {
  expect(brokenIn('[bans](limits.html#bans)\n\n```md\n[x](gone.md)\n```\n', 'guides/keys.md')).toEqual([]);
  expect(brokenIn('[bans](limits.md#ban)', 'guides/keys.md')).toEqual([
    'guides/keys.md: limits.html#ban leads nowhere: guides/limits.html has no anchor ban.',
  ]);
});
