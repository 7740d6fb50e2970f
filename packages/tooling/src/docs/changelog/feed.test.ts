import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { booksContract } from '../../../test/books-fixture.ts';
import { changelogFeed } from './feed.ts';

const changelog = `# Changelog

## 1.2.0 (not yet released)

- **listBooks**: soon

## 1.1.0 (2026-12-01)

- **listBooks**: \`limit\` & <b>more</b>

## 1.0.0 (2026-11-21)

The first release.
`;
const feed = String(changelogFeed(booksContract(), changelog).content);

test('the feed has an entry for each release, the newest first, and none for unreleased changes', () => {
  expect([...feed.matchAll(/<title>Version (.*)<\/title>/g)].map(([, version]) => version)).toEqual(['1.1.0', '1.0.0']);
  expect(feed).toContain(
    '<link rel="alternate" type="text/html" href="https://api.book-library.example/docs/changelog.html#1-1-0-2026-12-01"/>',
  );
  expect(feed).toMatch(/<\/author>\n<updated>2026-12-01T00:00:00Z<\/updated>/);
  expect(feed).not.toContain('soon');
});

test('the feed is well-formed XML, whatever an entry contains', () => {
  const script =
    'import sys, xml.dom.minidom; print(len(xml.dom.minidom.parse(sys.stdin).getElementsByTagName("entry")))';
  const { stdout, error } = spawnSync('python3', ['-c', script], { input: feed, encoding: 'utf8' });
  if (error === undefined) expect(stdout).toBe('2\n');
  expect(feed).toContain('&lt;code&gt;limit&lt;/code&gt; &amp;amp; &amp;lt;b&amp;gt;more');
});
