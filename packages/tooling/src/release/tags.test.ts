import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { releasedVersions } from '../diff/releases.ts';
import { root } from '../project.ts';
import { changelogVersions, tagReleases } from './tags.ts';

const versionsIn = (folder: string) => changelogVersions(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'));
const git = (folder: string, ...parameters: string[]) =>
  execFileSync('git', parameters, { cwd: folder, encoding: 'utf8' }).trim();
let clone = '';
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'tags-'));
  git(root, 'clone', '--quiet', '--no-tags', '--no-checkout', `file://${root}`, clone);
  git(clone, 'checkout', '--quiet', 'HEAD', '--', 'CHANGELOG.md');
  git(clone, 'config', 'user.name', 'Test');
  git(clone, 'config', 'user.email', 'test@example.com');
});
afterAll(() => rmSync(clone, { recursive: true }));

test('the changelog has each release', () => {
  expect(versionsIn(root)).toEqual(releasedVersions());
});

test('each release of the changelog gets its tag, on the commit with its contract', () => {
  // Of the commit, because a release runs the tests before it commits.
  const versions = versionsIn(clone);
  expect(tagReleases(clone, 'Title')).toEqual(versions.map((version) => `v${version}`));
  for (const version of versions) {
    expect(git(clone, 'show', `v${version}:openapi.yaml`)).toContain(`\n  version: ${version}\n`);
    expect(git(clone, 'for-each-ref', '--format=%(objecttype) %(contents:subject)', `refs/tags/v${version}`)).toBe(
      `tag Title ${version}`,
    );
  }
  expect(tagReleases(clone, 'Title')).toEqual([]);
});

test('the tags of this checkout, if it has any, are on these commits', () => {
  for (const tag of git(root, 'tag', '--list', 'v*').split('\n').filter(Boolean)) {
    expect(git(root, 'rev-parse', `${tag}^{}`)).toBe(git(clone, 'rev-parse', `${tag}^{}`));
  }
});

test('a history without the commit of a release is refused', () => {
  git(clone, 'tag', '--delete', 'v1.0.0');
  git(clone, 'update-ref', '--no-deref', 'HEAD', git(clone, 'commit-tree', '-m', 'Begin', 'HEAD^{tree}'));
  expect(() => tagReleases(clone, 'Title')).toThrow('No commit is "Release 1.0.0". Fetch the whole history');
});
